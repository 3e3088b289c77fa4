import { nextTheme, theme } from "../state/theme";

const names = { system: "Auto", light: "Light", dark: "Dark" } as const;

export const ThemeButton = () => (
  <button type="button" class="button quiet small" onClick={nextTheme} aria-label={`Colours: ${names[theme.value]}. Change`}>
    <span aria-hidden="true">◐</span> {names[theme.value]}
  </button>
);
