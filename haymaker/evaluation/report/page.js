"use strict";
// Rows of the page: filters, list, one row. Keys of a row: i id, s suite, t task, b length, d depth, n tokens of the prompt, q question,
// a answers, m further answers, k pieces by kind, p prompt: texts, [text, kind, title, models that named it], numbers of characters left
// out; o per model: x output (y its end, c characters between), s scores [metric, score, why there is none], w [reason, detail].
(() => {
  const {is, rows} = JSON.parse(document.getElementById("data").textContent);
  const at = id => document.getElementById(id);
  const fold = at("rows").closest("details"), list = at("list"), article = at("row"), more = at("more"), models = is.models, page = 200;
  const marks = {right: "✓", partly: "◐", silent: "–", unscored: "–"};
  let shown = [], chosen = -1, listed = 0;

  const make = (tag, text, name) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    return node;
  };
  const put = (parent, ...nodes) => (parent.append(...nodes), parent);
  const count = number => number.toLocaleString("en");
  const band = depth => depth === null ? "" : is.fifths[Math.min(is.fifths.length - 1, Math.floor(depth * is.fifths.length + 1e-6))];
  const first = output => output.s.length ? output.s[0][1] : null;
  const percent = score => score === null ? "no score" : (100 * score).toFixed(1);

  const fill = (id, values, any, titles) => {
    const select = at(id);
    if (!select) return;
    if (any) put(select, Object.assign(make("option", any), {value: ""}));
    values.forEach((value, number) => put(select, Object.assign(make("option", titles ? titles[number] : value), {value})));
  };
  const choice = (select, value) => { // a value without rows on this page is added, so that no other rows are shown
    if (![...select.options].some(option => option.value === value)) put(select, Object.assign(make("option", value), {value}));
    select.value = value;
  };
  const unique = values => [...new Set(values)];
  const suites = unique(rows.map(row => `${row.s}/`)), tasks = unique(rows.map(row => `${row.s}/${row.t}`)).filter(task => !task.endsWith("/"));
  fill("f-t", [...suites, ...tasks], "all", [...suites.map(suite => `${suite} all tasks`), ...tasks]);
  fill("f-b", unique(rows.map(row => row.b)), "all");
  fill("f-d", is.fifths, "all");
  fill("f-m", models.map((_, number) => String(number)), "", models);
  const reasons = unique(rows.flatMap(row => row.o.map(output => output.w[0])));
  const told = Object.keys(is.reasons).filter(reason => reasons.includes(reason));
  fill("f-w", told, "all", told.map(reason => is.reasons[reason]));

  const words = row => row.words ||= [row.i, row.q, ...row.a, ...row.o.flatMap(output => [output.x || "", output.y || "", output.w[1]]),
    ...row.p.map(piece => typeof piece === "string" ? piece : Array.isArray(piece) ? piece[0] + piece[2] : "")].join("\n").toLowerCase();
  const wanted = id => at(id) ? at(id).value : "";
  const hasScore = (row, model, want) => {
    const score = first(row.o[model]);
    return want === "n" ? score === null : score !== null && (want === "0" ? score <= 0 : want === "1" ? score >= 1 : score > 0 && score < 1);
  };
  const fits = row => {
    const search = wanted("f-x").toLowerCase(), model = Number(wanted("f-m") || 0), score = wanted("f-s"), reason = wanted("f-w");
    return (!wanted("f-t") || [`${row.s}/`, `${row.s}/${row.t}`].includes(wanted("f-t"))) && (!wanted("f-b") || wanted("f-b") === row.b)
      && (!wanted("f-d") || wanted("f-d") === band(row.d)) && (!score || hasScore(row, model, score))
      && (!reason || row.o[model].w[0] === reason) && (!search || words(row).includes(search));
  };

  const filter = () => {
    shown = rows.filter(fits);
    listed = 0;
    list.replaceChildren();
    at("count").textContent = `${count(shown.length)} of ${count(rows.length)} rows`;
    extend();
    choose(shown.length ? 0 : -1, false);
  };
  const extend = () => {
    const until = Math.min(shown.length, listed + page);
    for (; listed < until; listed++) put(list, entry(shown[listed], listed));
    more.hidden = listed >= shown.length;
  };
  const entry = (row, number) => {
    const item = Object.assign(make("li"), {id: `r${number}`});
    item.setAttribute("role", "option");
    item.addEventListener("click", () => choose(number, true));
    const depth = row.d === null ? "" : `, depth ${row.d.toFixed(2)}`;
    put(item, make("div", `${row.s}/${row.t}, ${row.b}${depth}`), make("small", row.q.slice(0, 80) || row.i));
    const line = make("div", undefined, "marks");
    row.o.forEach((output, model) => put(line, make("span", `${marks[output.w[0]] || "✗"} ${models.length > 1 ? `${models[model]}: ` : ""}${is.reasons[output.w[0]]}`)));
    return models.length ? put(item, line) : item;
  };
  const choose = (number, scroll) => {
    list.querySelectorAll("[aria-selected=true]").forEach(item => item.setAttribute("aria-selected", "false"));
    chosen = number;
    if (number < 0) {
      list.removeAttribute("aria-activedescendant");
      return article.replaceChildren(make("p", "No row fits these filters."));
    }
    while (listed <= number) extend();
    const item = at(`r${number}`);
    item.setAttribute("aria-selected", "true");
    list.setAttribute("aria-activedescendant", item.id);
    if (scroll) item.scrollIntoView({block: "nearest"});
    draw(shown[number]);
  };

  const facts = pairs => {
    const found = make("dl");
    pairs.filter(pair => pair[1] !== "").forEach(([name, value]) => put(found, make("dt", name), make("dd", value)));
    return found;
  };
  const kinds = row => Object.entries(row.k).map(([kind, number]) => `${count(number)} ${kind}`).join(", ");
  const draw = row => {
    article.replaceChildren(make("h3", `${row.s}/${row.t}, ${row.b}`), facts([
      ["id", row.i], ["prompt", `${count(row.n)} tokens`], ["depth", row.d === null ? "" : String(row.d)], ["question", row.q],
      ["answer", row.a.join(" | ") + (row.m ? ` and ${row.m} more` : "")], ["passages", kinds(row)],
    ]));
    row.o.forEach((output, model) => put(article, ...verdict(output, model)));
    put(article, make("h3", "Prompt"), prompt(row));
    article.scrollTop = 0;
  };
  const verdict = (output, model) => {
    const head = put(make("h3"), make("span", models[model], `key s${model % 6}`));
    const scores = output.s.map(([metric, score, why]) => `${metric} ${percent(score)}${score === null && why ? ` (${why})` : ""}`).join(", ");
    const reason = is.reasons[output.w[0]] + (output.w[1] ? `: ${output.w[1]}` : "");
    const nodes = [head, make("p", `${marks[output.w[0]] || "✗"} ${reason}`, "verdict"), facts([["scores", scores]])];
    if (output.x === undefined) return nodes;
    const text = make("div", undefined, "text output");
    text.dir = "auto";
    text.tabIndex = 0;
    put(text, output.x || "(empty)");
    if (output.c) put(text, make("span", `… ${count(output.c)} characters left out …`, "fold"), output.y);
    return [...nodes, text];
  };
  const prompt = row => {
    const text = make("div", undefined, "text");
    text.tabIndex = 0;
    let before = "";
    for (const piece of row.p) {
      if (typeof piece === "number") put(text, make("span", `… ${count(piece)} characters left out …`, "fold"));
      else if (typeof piece === "string") put(text, piece);
      else put(text, marked(piece, before));
      before = Array.isArray(piece) ? piece[2] : "";
    }
    return text;
  };
  const marked = ([said, kind, title, named], before) => {
    const node = make("mark", undefined, `k-${/^[a-z]+$/.test(kind) ? kind : "other"}`);
    const by = named.length ? ` ← named by ${named.map(model => models[model]).join(", ")}` : "";
    if (title !== before || by) put(node, make("b", (title.startsWith(kind) ? title : `${kind} ${title}`) + by, "tag"));
    return put(node, said);
  };

  const keys = {ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9};
  list.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in keys && shown.length) choose(Math.max(0, Math.min(shown.length - 1, chosen + keys[event.key])), true);
    else if (event.key === "Enter" && chosen >= 0) article.focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", event => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) (fold.open = true, at("f-x").focus());
    else if (event.key === "Escape" && (article.contains(event.target) || event.target === at("f-x"))) list.focus();
    else if (event.key === "Enter" && event.target === at("f-x")) list.focus();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", event => {
    const link = event.target.closest ? event.target.closest("a[data-m]") : null;
    if (!link) return;
    at("filters").reset();
    fold.open = true;
    for (const name of ["m", "t", "b", "d", "w"]) if (link.dataset[name] !== undefined) choice(at(`f-${name}`), link.dataset[name]);
    filter();
    event.preventDefault(); // else the browser takes the focus to the heading
    fold.scrollIntoView();
    list.focus({preventScroll: true});
  });
  more.addEventListener("click", extend);
  at("filters").addEventListener("input", filter);
  at("filters").addEventListener("submit", event => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(filter));
  at("filters").hidden = at("viewer").hidden = false;
  filter();
})();
