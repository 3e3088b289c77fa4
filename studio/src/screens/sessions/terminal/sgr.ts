// Select Graphic Rendition, ECMA-48: the only escape sequence that has an effect here, and that effect is a class name.

export interface Style {
  fore: string;
  back: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

export const plain: Style = { fore: "", back: "", bold: false, dim: false, italic: false, underline: false, strike: false, inverse: false };

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

// Of a colour table or of red, green and blue, the nearest of the sixteen that the page has for light and for dark.
function nearest(red: number, green: number, blue: number): string {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 48) return high < 64 ? "black" : high < 160 ? "bright-black" : high < 224 ? "white" : "bright-white";
  const middle = (high + low) / 2;
  const index = (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
  return (high > 200 && low > 60 ? "bright-" : "") + (names[index] ?? "white");
}

function indexed(index: number): string {
  if (index < 8) return names[index] ?? "";
  if (index < 16) return `bright-${names[index - 8] ?? "white"}`;
  if (index >= 232) return nearest(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const cube = index - 16;
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

interface Colour {
  name: string;
  used: number;
}

// What follows 38 or 48: 5;INDEX or 2;RED;GREEN;BLUE.
function extended(codes: readonly number[], at: number): Colour {
  const kind = codes[at];
  if (kind === 5) {
    const index = codes[at + 1] ?? 0;
    return { name: index <= 255 ? indexed(index) : "", used: 2 };
  }
  if (kind === 2) return { name: nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), used: 4 };
  return { name: "", used: 0 };
}

function single(style: Style, code: number): Style {
  if (code >= 30 && code <= 37) return { ...style, fore: names[code - 30] ?? "" };
  if (code >= 40 && code <= 47) return { ...style, back: names[code - 40] ?? "" };
  if (code >= 90 && code <= 97) return { ...style, fore: `bright-${names[code - 90] ?? "white"}` };
  if (code >= 100 && code <= 107) return { ...style, back: `bright-${names[code - 100] ?? "white"}` };
  switch (code) {
    case 0: return plain;
    case 1: return { ...style, bold: true };
    case 2: return { ...style, dim: true };
    case 3: return { ...style, italic: true };
    case 4: return { ...style, underline: true };
    case 7: return { ...style, inverse: true };
    case 9: return { ...style, strike: true };
    case 22: return { ...style, bold: false, dim: false };
    case 23: return { ...style, italic: false };
    case 24: return { ...style, underline: false };
    case 27: return { ...style, inverse: false };
    case 29: return { ...style, strike: false };
    case 39: return { ...style, fore: "" };
    case 49: return { ...style, back: "" };
    default: return style;
  }
}

// The parameters between ESC [ and m. Whatever is no number is passed over.
export function restyled(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((text) => (text === "" ? 0 : Number.parseInt(text, 10)));
  let result = style;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const colour = extended(codes, at + 1);
      result = code === 38 ? { ...result, fore: colour.name } : { ...result, back: colour.name };
      at += colour.used;
    } else if (Number.isInteger(code)) {
      result = single(result, code);
    }
  }
  return result;
}

export function classes(style: Style): string {
  const fore = style.inverse ? style.back || "ground" : style.fore;
  const back = style.inverse ? style.fore || "ink" : style.back;
  const all = [fore && `fore-${fore}`, back && `back-${back}`, style.bold && "bold", style.dim && "dim", style.italic && "italic", style.underline && "underline", style.strike && "strike"];
  return all.filter(Boolean).join(" ");
}
