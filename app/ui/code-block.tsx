'use client'

import { CopyButton } from './copy-button.tsx'

/** Shows code, scrollable, with a copy button. `label` names it to screen readers; `copy` is copied if it differs from `text`. */
export function CodeBlock({ label, text, copy = text }: { label: string; text: string; copy?: string }) {
  return (
    <div className="flex items-start rounded-lg bg-sunken">
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-112 min-w-0 flex-1 overflow-auto rounded-lg p-4 font-mono text-[0.8125rem]/5"
      >
        {text}
      </pre>
      {/* Beside the code: over it, it would cover what scrolls below. */}
      <div className="m-2 mt-3">
        <CopyButton
          look="icon"
          label={`Copy ${label.toLowerCase()}`}
          confirmation={`${label} copied.`}
          text={() => copy}
        />
      </div>
    </div>
  )
}
