// Lines as they are shown. A line feed ends one; after a carriage return it is written over.
import { classes, plain, restyled, type Style } from "./sgr";
import { Tokens } from "./tokens";

export interface Span {
  text: string;
  classes: string;
}

export interface Line {
  number: number;
  source: string;
  spans: readonly Span[];
}

const mostLines = 5000;
const longestLine = 20_000;

// The first `count` letters of a line are gone, as something else stands there now.
function without(spans: readonly Span[], count: number): Span[] {
  const kept: Span[] = [];
  let left = count;
  for (const span of spans) {
    if (left >= span.text.length) {
      left -= span.text.length;
      continue;
    }
    kept.push({ ...span, text: span.text.slice(left) });
    left = 0;
  }
  return kept;
}

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, span) => sum + span.text.length, 0);

interface Pen {
  tokens: Tokens;
  style: Style;
}

export class Lines {
  private done: Line[] = [];
  private spans: Span[] = [];
  // What a carriage return left of the line, to the right of where is written.
  private beneath: Span[] = [];
  private source = "";
  private next = 0;
  // Each stream has its own colours, and a sequence of one is not continued by the other.
  private pens = new Map<string, Pen>();
  dropped = 0;

  write(text: string, source: string): void {
    if (source !== this.source && (this.spans.length > 0 || this.beneath.length > 0)) this.newline();
    this.source = source;
    const pen = this.pens.get(source) ?? { tokens: new Tokens(), style: plain };
    this.pens.set(source, pen);
    for (const token of pen.tokens.feed(text)) {
      switch (token.kind) {
        case "text": this.put(token.text, classes(pen.style)); break;
        case "style": pen.style = restyled(pen.style, token.parameters); break;
        case "newline": this.newline(); break;
        case "return": this.back(); break;
        case "erase": this.beneath = []; break;
      }
    }
  }

  // Something of Pale's own, on a line by itself.
  note(text: string, source: string): void {
    if (this.spans.length > 0 || this.beneath.length > 0) this.newline();
    this.source = source;
    this.spans = [{ text, classes: "" }];
    this.newline();
  }

  all(): Line[] {
    const open = [...this.spans, ...this.beneath];
    return open.length > 0 ? [...this.done, { number: this.next, source: this.source, spans: open }] : [...this.done];
  }

  private put(text: string, style: string): void {
    if (lengthOf(this.spans) > longestLine) this.newline();
    const last = this.spans.at(-1);
    if (last && last.classes === style) this.spans[this.spans.length - 1] = { text: last.text + text, classes: style };
    else this.spans.push({ text, classes: style });
    this.beneath = without(this.beneath, text.length);
  }

  private back(): void {
    this.beneath = [...this.spans, ...this.beneath];
    this.spans = [];
  }

  private newline(): void {
    this.done.push({ number: this.next++, source: this.source, spans: [...this.spans, ...this.beneath] });
    this.spans = [];
    this.beneath = [];
    // Now and then, not for each line.
    if (this.done.length < mostLines * 2) return;
    this.dropped += this.done.length - mostLines;
    this.done = this.done.slice(-mostLines);
  }
}
