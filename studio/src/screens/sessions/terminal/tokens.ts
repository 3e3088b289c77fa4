// Output of a program inside, taken apart. It is hostile until shown otherwise: of all escape sequences only colours come through,
// every other one is dropped whole, also if it comes in pieces; control characters and letters that hide or turn around others
// are shown as what they are.

export type Token =
  | { kind: "text"; text: string }
  | { kind: "style"; parameters: string }
  | { kind: "newline" }
  | { kind: "return" }
  | { kind: "erase" };

// A string sequence (a title, a link, a clipboard) that never ends must not swallow the rest of the session.
const longestSequence = 4096;

const special = /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/;

type State = "ground" | "escape" | "intermediate" | "csi" | "string" | "string-escape";

const shownAs = (letter: string): string => {
  const code = letter.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
};

export class Tokens {
  private state: State = "ground";
  private collected = "";

  feed(chunk: string): Token[] {
    const tokens: Token[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.state !== "ground") {
        this.sequence(chunk.charAt(at), tokens);
        at++;
        continue;
      }
      const rest = chunk.slice(at);
      const found = rest.search(special);
      if (found !== 0) {
        const text = found < 0 ? rest : rest.slice(0, found);
        tokens.push({ kind: "text", text });
        at += text.length;
        continue;
      }
      const letter = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      this.control(letter, tokens);
      at += letter.length;
    }
    return tokens;
  }

  private begin(state: State): void {
    this.state = state;
    this.collected = "";
  }

  private control(letter: string, tokens: Token[]): void {
    switch (letter) {
      case "\n": return void tokens.push({ kind: "newline" });
      case "\r": return void tokens.push({ kind: "return" });
      case "\t": return void tokens.push({ kind: "text", text: "\t" });
      case "\x1b": return this.begin("escape");
      case "\x9b": return this.begin("csi");
      case "\x90":
      case "\x98":
      case "\x9d":
      case "\x9e":
      case "\x9f": return this.begin("string");
      case "\x07":
      case "\x00": return;
      default: tokens.push({ kind: "text", text: shownAs(letter) });
    }
  }

  private sequence(letter: string, tokens: Token[]): void {
    // Cancel and substitute end any sequence; a new escape begins another one.
    if (letter === "\x18" || letter === "\x1a") return this.begin("ground");
    if (this.collected.length > longestSequence) return this.begin("ground");
    this.collected += letter;
    switch (this.state) {
      case "escape": return this.escape(letter);
      case "intermediate":
        if (letter === "\x1b") return this.begin("escape");
        if (letter >= "0" && letter <= "~") this.begin("ground");
        return;
      case "csi": return this.csi(letter, tokens);
      case "string":
        if (letter === "\x07" || letter === "\x9c") this.begin("ground");
        else if (letter === "\x1b") this.state = "string-escape";
        return;
      case "string-escape":
        if (letter === "\\") this.begin("ground");
        else this.escape(letter);
        return;
      case "ground": return;
    }
  }

  private escape(letter: string): void {
    if (letter === "[") return this.begin("csi");
    if ("]PX^_".includes(letter)) return this.begin("string");
    if (letter === "\x1b") return this.begin("escape");
    this.begin(letter >= " " && letter <= "/" ? "intermediate" : "ground");
  }

  private csi(letter: string, tokens: Token[]): void {
    if (letter === "\x1b") return this.begin("escape");
    if (letter < "@" || letter > "~") return;
    const parameters = this.collected.slice(0, -1);
    if (letter === "m" && /^[\d;:]*$/.test(parameters)) tokens.push({ kind: "style", parameters });
    // "Erase the line", with which progress is drawn: at the line's beginning it is the end of what stood there.
    if (letter === "K") tokens.push({ kind: "erase" });
    this.begin("ground");
  }
}
