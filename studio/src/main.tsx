import { render } from "preact";
import { App } from "./app";
import { preloadScreen } from "./shell/shell";
import { watchAddress } from "./state/route";
import { showTheme } from "./state/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/panels.css";
import "./styles/shell.css";

showTheme();
watchAddress();
preloadScreen();
const place = document.getElementById("app");
if (place) render(<App />, place);
