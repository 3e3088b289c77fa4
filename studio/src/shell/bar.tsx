import type { Project } from "../api/schema";
import { Logo } from "../parts/icons";
import { connection } from "../state/live";
import { ThemeButton } from "./theme_button";

export function Bar({ project }: { project: Project }) {
  return (
    <header class="bar">
      <a class="brand" href="/" aria-label="Pale Studio, all projects">
        <Logo />
        <span class="word">Studio</span>
      </a>
      <a class="project tight" href="/" title="Choose another project">
        <span class="clip">{project.name}</span>
        <span class="root path muted clip">{project.root}</span>
      </a>
      <span class="spread" />
      {connection.value === "lost" && (
        <span class="badge warn" role="status">
          Reconnecting…
        </span>
      )}
      <ThemeButton />
    </header>
  );
}
