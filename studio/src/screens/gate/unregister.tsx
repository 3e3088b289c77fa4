import * as api from "../../api/calls";
import type { Project } from "../../api/schema";
import { Dialog } from "../../parts/dialog";
import { Failure } from "../../parts/notice";
import { useAction } from "../../state/resource";

export function Unregister({ project, close, done }: { project: Project; close: () => void; done: () => void }) {
  const act = useAction(async () => {
    await api.projects.unregister(project.id);
    done();
  });
  return (
    <Dialog title={`Unregister ${project.name}?`} close={close}>
      <p>
        Pale forgets that <span class="path">{project.root}</span> is a project. The files in it stay as they are.
      </p>
      <Failure error={act.error} />
      <div class="dialog-foot">
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="button danger" disabled={act.busy} onClick={() => void act.run()}>
          Unregister
        </button>
      </div>
    </Dialog>
  );
}
