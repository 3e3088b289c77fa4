import { Dialog } from "../../parts/dialog";

const keys = [
  ["j / k", "next, previous file"],
  ["n / p", "next, previous hunk; a and x then mean it"],
  ["v", "viewed, or not"],
  ["a", "accept the file, or the hunk"],
  ["x", "reject the file, or the hunk"],
  ["Esc", "leave the hunk: a and x mean the file again"],
  ["s", "side by side, or unified"],
  ["?", "this"],
] as const;

export const KeyHelp = ({ close }: { close: () => void }) => (
  <Dialog title="Keys" close={close}>
    <dl class="keys">
      {keys.map(([key, meaning]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
