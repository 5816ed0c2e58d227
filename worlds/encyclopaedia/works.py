"""Works of the people of a block: companies, books, films, albums, and prizes for them."""

from __future__ import annotations

from .build import TITLES, Making, american, measures, split, thousands
from .model import LAYOUT, Entity
from .names import pick, prize_name, work_titles
from .people import LAST_YEAR, year_in_life

_SHARES = {"book": (8, 6, 4, 2), "film": (7, 5, 2), "album": (6, 2)}
_AUTHORS = {"book": ("novelist", "author"), "film": ("director", "director"), "album": ("singer", "artist")}
_ADAPTED = 5
_FOUNDED = {"film studio": (1905, 1911), "record label": (1922, 1930)}  # before the first film and the first album


def make_companies(m: Making) -> None:
    """Companies; some are publishers, record labels, film studios and shipyards."""
    s = m.s
    branches = ("publisher", "publisher", "record label", "film studio", "shipyard", *("manufacturer",) * 7)
    forms = {
        "publisher": ("{} & Sons", "{} Press"),
        "record label": ("{} Records",),
        "film studio": ("{} Pictures",),
        "shipyard": ("{} Shipyard",),
        "manufacturer": ("{} Works", "{} Brothers", "{} Company", "{} Industries"),
    }
    stems = iter(s.shuffled(m.entities["town"]))
    for branch in branches:
        founder = m.minor()
        town = next(stems)
        stem = f"{town.name} {founder.split()[-1]}" if branch == "manufacturer" else town.name
        company = m.add("company", s.choice(forms[branch]).format(stem), short="the company")
        company.facts |= {"type": branch}
        company.state("founder", founder)
        seat = town if s.chance(0.6) else s.choice(m.entities["town"])
        company.link("headquarters", seat)
        date = m.date(year := s.between(*_FOUNDED.get(branch, (1848, 1880))))
        company.state("founded", date, american(date))
        company.facts["founded_year"], company.years["founded"] = str(year), year
        if branch == "manufacturer":
            company.state("product", m.word("products"))
        company.state("chief", m.minor())
        company.facts["chief_year"] = str(s.between(1958, 2008))
        company.state("employees", *measures(thousands(s, 120, 21_000), "people"))
    _engineers(m)
    makers = [c for c in m.entities["company"] if c.facts["type"] == "manufacturer"]
    sold = s.sample(makers, 2)
    for one in sold:
        other = s.choice([c for c in makers if c not in sold])
        one.link("buyer", other)
        one.facts["bought_year"] = str(s.between(1950, 1998))


def _engineers(m: Making) -> None:
    for engineer in m.entities["engineer"]:
        company = m.s.choice([c for c in m.entities["company"] if c.meets(engineer)])
        engineer.link("employer", company)
        engineer.facts["invention"] = m.word("inventions")
        date = m.date(year_in_life(m, engineer, 27, 60))
        engineer.state("patent", date, american(date))


def make_works(m: Making) -> None:
    """Books, films and albums, most of them by a few people; some films have the title of a book."""
    titles = iter(range(m.block * TITLES, (m.block + 1) * TITLES))
    for kind, shares in _SHARES.items():
        role, relation = _AUTHORS[kind]
        makers = sorted(m.s.shuffled(m.entities[role]), key=lambda p: p.years["died"] < 1935)
        slots = split(m.s, range(LAYOUT[kind]), shares)
        owner = {slot: maker for maker, own in zip(makers, slots, strict=False) for slot in own}
        for slot in range(LAYOUT[kind]):
            title = pick(work_titles(), next(titles), m.seed, "works")
            _work(m, kind, title, owner[slot], relation)
    books = m.s.shuffled(m.entities["book"])
    for film in m.s.sample(m.entities["film"], _ADAPTED):
        book = next((book for book in books if book.years["released"] < film.years["released"]), None)
        if book is None:
            continue
        books.remove(book)
        film.name = film.short = book.name
        film.aliases = [film.name]
        film.title, book.title = f"{film.name} (film)", f"{book.name} (novel)"
        film.groups["namesakes"], book.groups["namesakes"] = [book], [film]
    for film in m.entities["film"]:
        _film(m, film)
    for book in m.entities["book"]:
        _book(m, book)
    for album in m.entities["album"]:
        _album(m, album)


def _work(m: Making, kind: str, title: str, maker: Entity, relation: str) -> None:
    work = m.add(kind, title)
    work.facts |= {"type": {"book": "novel"}.get(kind, kind)}
    work.link(relation, maker)
    work.facts["genre"] = m.word(f"{kind}_genres")
    work.facts["mood"] = m.word("moods")
    floor = {"book": 0, "film": 1912 - maker.years["born"], "album": 1931 - maker.years["born"]}[kind]
    year = max(year_in_life(m, maker, max(25, floor), max(70, floor + 20)), maker.years["born"] + floor)
    date = m.date(year)
    work.years["released"] = year
    work.state("released", date, american(date))
    work.facts["year"] = str(year)
    maker.groups.setdefault(f"{kind}s", []).append(work)


def _make(work: Entity, relation: str, maker: Entity, group: str) -> None:
    """Link a work to somebody who had a part in it, and back."""
    work.link(relation, maker)
    maker.groups.setdefault(group, []).append(work)


def _company(m: Making, branch: str) -> Entity:
    return m.s.choice([c for c in m.entities["company"] if c.facts["type"] == branch])


def _book(m: Making, book: Entity) -> None:
    s = m.s
    _make(book, "publisher", _company(m, "publisher"), "published")
    book.link("setting", s.choice(m.entities["town"]))
    book.state("hero", m.minor())
    book.facts["hero_trade"] = m.word("trades")
    if s.chance(0.6):
        book.state("illustrator", m.minor())
    if s.chance(0.5):
        book.state("translator", m.minor())
        book.facts["translated_year"] = str(min(LAST_YEAR, book.years["released"] + s.between(2, 30)))
    book.state("copies", *measures(thousands(s, 1_100, 86_000), "copies"))
    book.facts["pages"] = str(s.between(118, 640))


def _film(m: Making, film: Entity) -> None:
    s = m.s
    film.facts["genre"] = m.word("film_genres")
    actors = [actor for actor in m.entities["actor"] if actor.meets(film)]
    for relation, actor in zip(("star", "second"), s.sample(actors, min(2, len(actors))), strict=False):
        film.link(relation, actor)
        if relation == "star":
            actor.groups.setdefault("star_films", []).append(film)
    composers = [composer for composer in m.entities["composer"] if composer.meets(film)]
    if composers:
        _make(film, "composer", s.choice(composers), "scored")
    _make(film, "studio", _company(m, "film studio"), "produced")
    film.link("location", s.choice(m.entities["town"]))
    if "namesakes" in film.groups:
        film.link("based_on", film.groups["namesakes"][0])
    film.state("writer", m.minor())
    if s.chance(0.6):
        film.state("cameraman", m.minor())
    minutes = s.between(61, 178)
    film.facts["minutes"] = f"{minutes} minutes"
    film.state("takings", *measures(thousands(s, 41_000, 3_900_000), "crowns"))


def _album(m: Making, album: Entity) -> None:
    s = m.s
    _make(album, "label", _company(m, "record label"), "issued")
    album.link("studio", s.choice(m.entities["town"]))
    album.state("producer", m.minor())
    if s.chance(0.6):
        album.state("cover", m.minor())
    album.facts["tracks"] = str(s.between(8, 16))
    album.facts["instrument"] = m.word("instruments")
    album.state("copies", *measures(thousands(s, 2_100, 310_000), "copies"))


def make_awards(m: Making) -> None:
    """Prizes, and who got them in which year."""
    s = m.s
    fields = (("novelist", "literature and film"), ("composer", "music"), ("naturalist", "science and engineering"))
    for j, (field, about) in enumerate(fields):
        name = prize_name(m.seed, m.block * len(fields) + j)
        award = m.add("award", f"the {name}", short="the prize")
        award.title = name
        award.aliases.append(name)
        award.facts |= {"type": "award", "about": about}
        award.state("sponsor", m.minor())
        award.link("town", s.choice(m.entities["town"]))
        award.state("money", *measures(thousands(s, 1_100, 48_000), "crowns"))
        _winners(m, award, field)


def _winners(m: Making, award: Entity, field: str) -> None:
    others = {"novelist": ("director", "actor"), "composer": ("singer",), "naturalist": ("engineer",)}[field]
    pool = [p for kind in (field, *others) for p in m.entities[kind] if "award" not in p.refs and not p.namesake]
    winners: dict[int, Entity] = {}
    for person in m.s.shuffled(pool)[: m.s.between(6, 9)]:
        year = year_in_life(m, person, 32, 74)
        if year in winners:
            continue
        winners[year] = person
        person.link("award", award)
        person.facts["award_year"] = str(year)
        person.years["award"] = year
    first = min(winners)
    award.groups["winners"] = [winners[year] for year in sorted(winners)]
    award.link("first_winner", winners[first])
    award.facts["founded_year"] = str(first)
    award.years["founded"] = first
