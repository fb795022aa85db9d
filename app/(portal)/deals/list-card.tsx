import type { ReactNode } from 'react'

/** The frame for content shown in place of the list or the board. */
export const ListCard = ({ children }: { children: ReactNode }) => (
  <div className="min-h-0 flex-1 overflow-y-auto rounded-xl border border-line bg-surface">{children}</div>
)
