// Small words about numbers.

export const plural = (count: number, one: string, many = `${one}s`): string => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export function bytes(count: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? plural(count, "byte") : `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? ""}`;
}

export const words = (command: string[] | string): string => (typeof command === "string" ? command : command.map(shown).join(" "));

// As it could be typed into a shell.
function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
