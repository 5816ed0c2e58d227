"""The page in a real browser: each fault of each made-up model stands where it is, keys work, nothing is fetched, nothing complains."""

from __future__ import annotations

from pathlib import Path

from haymaker.evaluation.report.page import write_report
from tests.pipelines.page.browser import Browser, needs_browser

pytestmark = needs_browser

HEAT = """[...document.querySelectorAll('#depth table')].filter(table => table.caption.textContent.startsWith('%s') &&
  table.caption.textContent.includes('%s')).flatMap(table => [...table.tBodies[0].rows].map(row =>
  [row.cells[0].textContent, ...[...row.querySelectorAll('a')].map(link => link.firstChild.textContent)]))"""
WHY = """(() => { const table = [...document.querySelectorAll('#why table')][%d], heads = [...table.tHead.rows[0].cells].map(c => c.textContent);
  return Object.fromEntries([...table.tBodies[0].rows].map(row => [row.cells[0].textContent, Object.fromEntries([...row.cells]
  .map((cell, n) => [heads[n], Number(cell.textContent)]).slice(1).filter(pair => pair[1]))])); })()"""


def choose(browser: Browser, **filters: str) -> list[str]:
    """Set filters by their short names; what the first row says of each model."""
    script = "".join(f"document.getElementById('f-{name}').value = {value!r};" for name, value in filters.items())
    browser.run(
        f"document.getElementById('filters').reset(); {script} document.getElementById('filters').dispatchEvent(new Event('input')); 0"
    )
    return list(browser.run("[...document.querySelectorAll('#row .verdict')].map(node => node.textContent)"))


def count(browser: Browser) -> str:
    return str(browser.run("document.getElementById('count').textContent"))


def active(browser: Browser) -> str:
    return str(browser.run("document.activeElement.id"))


def test_the_middle_that_is_forgotten_is_dark_in_the_grid(browser: Browser, page: Path) -> None:
    browser.open(page)
    found = {line[0]: line[1:] for line in browser.run(HEAT % ("qa1_grid", "forgets-the-middle"))}
    assert found["0.0-0.2"] == ["100", "100"] == found["0.8-1.0"]
    assert found["0.2-0.4"] == found["0.4-0.6"] == found["0.6-0.8"] == ["0", "0"]
    browser.run(
        'document.querySelector(\'#depth a[data-t="babilong/qa1_grid"][data-m="0"][data-d="0.4-0.6"]\').click()'
    )
    assert active(browser) == "list"
    settled = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(%s))))"
    assert abs(browser.run(settled % "document.getElementById('rows').parentElement.getBoundingClientRect().top")) < 40
    shown = browser.run("[...document.querySelectorAll('#list li')].map(item => item.textContent)")
    assert shown and all(
        "qa1_grid" in text and "✗ forgets-the-middle: says that the answer is not there" in text for text in shown
    )


def test_the_distractor_that_is_named_is_named_and_marked(browser: Browser, page: Path) -> None:
    browser.open(page)
    why = browser.run(WHY % 1)
    assert why["synthetic/niah_multikey_1"] == {"named a distractor": 16}
    assert why["synthetic/niah_near"] == {"named a distractor": 16}
    told = choose(browser, t="synthetic/niah_near", m="1", w="distractor")
    assert told[1].startswith("✗ named a distractor: distractor needle:") and "“The special number of " in told[1]
    marks = browser.run("[...document.querySelectorAll('#row mark')].map(node => [node.className, node.textContent])")
    named = [text for name, text in marks if "named by last-distractor" in text and name == "k-distractor"]
    output = browser.run("document.querySelectorAll('#row .output')[1].textContent")
    assert len(named) == 1 and output.removeprefix("It must be ").strip(".") in named[0]
    assert any(name == "k-gold" and text.startswith("gold needle:") for name, text in marks)
    assert "characters left out" in browser.run("document.querySelector('#row > .text:last-child').textContent")


def test_keys_lead_through_the_rows(browser: Browser, page: Path) -> None:
    browser.open(page)
    every = count(browser)
    browser.press("/")
    assert active(browser) == "f-x"
    browser.press(*"special")
    few = count(browser)
    assert few != every and not few.startswith("0 ")
    browser.press("Enter")
    assert active(browser) == "list"
    first = browser.run("document.querySelector('#row dd').textContent")
    browser.press("ArrowDown")
    assert browser.run("document.getElementById('list').getAttribute('aria-activedescendant')") == "r1"
    assert browser.run("document.querySelector('#row dd').textContent") != first
    browser.press("Enter")
    assert active(browser) == "row"
    browser.press("Escape", "ArrowUp")
    assert active(browser) == "list" and browser.run("document.querySelector('#row dd').textContent") == first
    browser.press("Tab")
    assert active(browser) != "list"


OUTSIDE = """[...document.body.querySelectorAll('*')].filter(node => !node.closest('.wide, svg, select, .skip') &&
  node.getBoundingClientRect().width && node.getBoundingClientRect().right > innerWidth + 1).map(node => node.textContent.slice(0, 40))"""


def test_wide_tables_scroll_in_their_own_box_and_long_names_break(
    browser: Browser, release: Path, outputs: list[Path], tmp_path: Path
) -> None:
    files = [tmp_path / f"{'a-model-with-a-name-that-does-not-end-' * 3}{number}.jsonl" for number in range(2)]
    for path, source in zip(files, outputs, strict=False):
        path.write_bytes(source.read_bytes())
    write_report(release, files, tmp_path / "page.html", max_rows=20, share=0.85)
    browser.open(tmp_path / "page.html", width=400)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; }); 0")
    assert browser.run("document.documentElement.scrollWidth") == 400 and browser.run(OUTSIDE) == []
    wider = "[...document.querySelectorAll('.wide')].filter(box => box.scrollWidth > box.clientWidth).length"
    assert browser.run(wider) > 3


def test_hostile_outputs_are_text(browser: Browser, page: Path, release: Path) -> None:
    browser.open(page)
    browser.press("/", *"onerror")
    assert not count(browser).startswith("0 ")
    said = browser.run("document.querySelectorAll('#row .output')[2].textContent")
    assert (
        said.startswith("</script><script>document.title='taken'</script>")
        and "<U+202E>" in said
        and "<U+0000>" in said
    )
    assert browser.run("[document.title, document.scripts.length, document.images.length]") == ["tiny: report", 2, 0]


def test_nothing_complains_and_nothing_is_fetched(browser: Browser) -> None:
    assert browser.complaints == []
