import { defineConfig } from "vite";

// No inline script, style or data: the page's Content-Security-Policy allows none.
export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
