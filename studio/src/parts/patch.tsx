// A patch as text, with its lines coloured and marked.

function kind(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@") || line.startsWith("diff ")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "";
}

export function Patch({ text, label }: { text: string; label: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="patch" tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, index) => (
        <span key={index} class={kind(line)}>
          {line || " "}
        </span>
      ))}
    </pre>
  );
}
