'use client'

import { CopyButton } from '#app/ui/copy.tsx'

/** A button that copies a code block. */
export function Copy({ text }: { text: string }) {
  return <CopyButton label="Copy" confirmation="Copied" look="icon" text={() => text} />
}
