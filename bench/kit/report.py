"""What a measurement found: rows with a verdict, as a table or as Markdown, and a chart as SVG."""
import dataclasses
import html
import json


@dataclasses.dataclass
class Row:
    """One line of a table. Its figure is held against the limit, if it has one."""

    what: str
    median: str = ""
    figure: float | None = None
    unit: str = ""
    limit: float | None = None
    at_least: bool = False
    problem: str = ""  # why there is no figure

    def measured(self):
        return "" if self.figure is None else f"{short(self.figure)} {self.unit}"

    def target(self):
        return "" if self.limit is None else f"{'≥' if self.at_least else '≤'} {self.limit:g}"

    def missed(self):
        if self.limit is None:
            return False
        if self.figure is None:
            return True
        return self.figure < self.limit if self.at_least else self.figure > self.limit

    def verdict(self):
        if self.problem:
            return f"not measured: {self.problem}"
        if self.limit is None:
            return ""
        return "MISS" if self.missed() else "ok"

    def cells(self):
        return [self.what, self.median, self.measured(), self.target(), self.verdict()]


HEADINGS = ["", "median", "measured", "target", ""]


def short(number):
    """Two digits after the point for small numbers, fewer for larger ones and none for counts."""
    if isinstance(number, int):
        return str(number)
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:.0f}"


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def table(title, rows):
    lines = [[title, *HEADINGS[1:]], *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([text[0], "-" * (sum(widths) + 2 * len(widths) - 2), *text[1:]]) + "\n"


def markdown(title, rows):
    lines = [[title, *HEADINGS[1:]], ["---", "---:", "---:", "---:", "---"], *(row.cells() for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


# --- the chart --------------------------------------------------------------------------------------------------------

# The card brings its own background, so it can be read on a light page and on a dark one.
STYLE = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .title { font-size: 16px; font-weight: 600 }
  .small { font-size: 12px; fill: #59636e }
  .card { fill: #ffffff; stroke: #d1d9e0 }
  .bar { fill: #a3acb6 }
  .first { fill: #1a7f5a }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .card { fill: #151b23; stroke: #3d444d }
    .bar { fill: #59636e }
    .first { fill: #3fb98a }
  }
"""
WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 720, 150, 130, 70, 38, 22


def bar(index, label, value, note, scale, first):
    y = TOP + index * STEP
    length = max(value * scale, 2)
    middle = y + BAR / 2 + 5
    kind = "first" if first else "bar"
    return (
        f'  <text x="{LEFT - 12}" y="{middle}" text-anchor="end">{html.escape(label)}</text>\n'
        f'  <rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" rx="3"/>\n'
        f'  <text x="{LEFT + length + 8:.1f}" y="{middle}">{value:.1f}×'
        f'<tspan class="small" dx="8">{html.escape(note)}</tspan></text>\n'
    )


def chart(title, subtitle, foot, bars, highlight):
    """Horizontal bars of (label, value, note); the one whose label is highlight stands out."""
    height = TOP + len(bars) * STEP + 34
    scale = (WIDTH - LEFT - RIGHT) / max(value for _, value, _ in bars)
    described = "; ".join(f"{label} {value:.1f}" for label, value, _ in bars)
    body = "".join(bar(i, label, value, note, scale, label == highlight) for i, (label, value, note) in enumerate(bars))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{html.escape(f"{title}: {described}")}">\n'
        f"  <style>{STYLE}  </style>\n"
        f'  <rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>\n'
        f'  <text class="title" x="24" y="32">{html.escape(title)}</text>\n'
        f'  <text class="small" x="24" y="52">{html.escape(subtitle)}</text>\n'
        f"{body}"
        f'  <text class="small" x="24" y="{height - 14}">{html.escape(foot)}</text>\n'
        "</svg>\n"
    )


def write_json(path, setting, results):
    """`results`: of each user, the rows and the numbers behind them."""
    users_found = {
        user: {"rows": [{**dataclasses.asdict(row), "verdict": row.verdict()} for row in rows], "numbers": numbers}
        for user, (rows, numbers) in results.items()
    }
    text = json.dumps({"machine": setting, "users": users_found}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def conclude(path, setting, results, lay_out):
    """Shows what was measured as each user and keeps it at `path`. 1 if a target was missed, the exit status."""
    for user, (rows, _) in results.items():
        print(lay_out(f"as {user}", rows))
    write_json(path, setting, results)
    return 1 if any(row.missed() for rows, _ in results.values() for row in rows) else 0
