'use client'

import { CopyButton } from '#app/ui/copy-button.tsx'

/** Copies what stands in a block of code. */
export function Copy({ text }: { text: string }) {
  return <CopyButton label="Copy" confirmation="Copied" look="icon" text={() => text} />
}
