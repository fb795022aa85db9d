'use client'

import { CopyButton } from './copy-button.tsx'

/** Shows code, scrollable, with a copy button. `label` names it to screen readers; `copy` is copied if it differs from `text`. */
export function CodeBlock({ label, text, copy = text }: { label: string; text: string; copy?: string }) {
  return (
    <div className="relative">
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-112 overflow-auto rounded-lg bg-sunken p-4 pr-12 font-mono text-[0.8125rem]/5"
      >
        {text}
      </pre>
      <div className="absolute top-2 right-2 rounded-md bg-sunken">
        <CopyButton
          look="icon"
          label={`Copy ${label.toLowerCase()}`}
          said={`${label} copied.`}
          text={() => copy}
        />
      </div>
    </div>
  )
}
