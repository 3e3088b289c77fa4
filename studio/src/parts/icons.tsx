// Line drawings, 24 by 24. They are never the only thing that says something.
import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {children}
    </svg>
  );
}

export const SessionsIcon = () => (
  <Icon>
    <rect x="3" y="4" width="18" height="16" rx="2.5" />
    <path d="M7 9.5l3 2.5-3 2.5M12.5 15H17" />
  </Icon>
);
export const ReviewIcon = () => (
  <Icon>
    <path d="M7 3.5h7l4 4V20a.5.5 0 0 1-.5.5h-10A1.5 1.5 0 0 1 6 19V4.5a1 1 0 0 1 1-1z" />
    <path d="M12 8.5v5M9.5 11h5M9.5 16.5h5" />
  </Icon>
);
export const AccessIcon = () => (
  <Icon>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z" />
    <circle cx="12" cy="12" r="2.8" />
  </Icon>
);
export const BoundaryIcon = () => (
  <Icon>
    <rect x="3" y="3.5" width="18" height="17" rx="2.5" />
    <path d="M12 3.5v17M12 11h9" />
  </Icon>
);
export const ApprovalsIcon = () => (
  <Icon>
    <path d="M12 3l7.5 3v5.5c0 4.5-3.2 7.8-7.5 9.5-4.3-1.7-7.5-5-7.5-9.5V6z" />
    <path d="M8.8 12l2.3 2.3 4.2-4.5" />
  </Icon>
);
export const WorkersIcon = () => (
  <Icon>
    <circle cx="12" cy="5.5" r="2.5" />
    <circle cx="5.5" cy="18" r="2.5" />
    <circle cx="18.5" cy="18" r="2.5" />
    <path d="M12 8v3.5M5.5 15.5v-2a2 2 0 0 1 2-2h9a2 2 0 0 1 2 2v2" />
  </Icon>
);
export const LoopIcon = () => (
  <Icon>
    <path d="M4 12a8 8 0 0 1 13.7-5.6L20 8.5M20 4v4.5h-4.5M20 12a8 8 0 0 1-13.7 5.6L4 15.5M4 20v-4.5h4.5" />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d="M3 6.5A1.5 1.5 0 0 1 4.5 5H9l2.2 2.5h8.3A1.5 1.5 0 0 1 21 9v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18z" />
  </Icon>
);

export const Logo = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0c5f53" />
    <path fill="#f4f1e8" d="M6 11l2.5-4 2.5 4v15H6zM13.5 11l2.5-4 2.5 4v15h-5zM21 11l2.5-4 2.5 4v15h-5zM4 13.5h24v2.2H4zM4 20.5h24v2.2H4z" />
  </svg>
);
