import type { ScreenProperties } from "../../shell/shell";
import { route } from "../../state/route";
import { StageList } from "./stage_list";
import { StageReview } from "./stage_review";
import "./review.css";
import "./diff.css";

export function Review({ project }: ScreenProperties) {
  const stage = route.value.item;
  return stage ? <StageReview key={stage} project={project.id} id={stage} /> : <StageList project={project.id} />;
}
