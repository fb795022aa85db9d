'use client'

import { Copy } from 'lucide-react'
import { useState } from 'react'
import { button } from './button-styles.ts'
import { lazyPart } from './load-part.ts'
import { toast } from './toast.tsx'

const CopyDialog = lazyPart(() => import('./copy-dialog.tsx').then((module) => module.CopyDialog))

const looks = {
  plain: button.plain,
  icon: '-my-1 grid size-7 touch shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink',
}

/** Copies a string, or shows it to be copied by hand if the browser forbids copying. */
export function CopyButton({
  label,
  confirmation,
  text,
  look = 'plain',
}: {
  label: string
  confirmation: string
  text: () => string
  look?: keyof typeof looks
}) {
  const [message, show] = useState<string | null>(null)

  async function copy() {
    try {
      await navigator.clipboard.writeText(text())
      toast.success(confirmation)
    } catch {
      show(text())
    }
  }

  return (
    <>
      <button
        type="button"
        onClick={() => void copy()}
        title={look === 'icon' ? label : undefined}
        className={looks[look]}
      >
        <Copy aria-hidden="true" className={look === 'icon' ? 'size-3.5' : 'size-4'} />
        <span className={look === 'icon' ? 'sr-only' : undefined}>{label}</span>
      </button>
      {message !== null && <CopyDialog text={message} onClose={() => show(null)} />}
    </>
  )
}

/** Shows code with a button that copies `copy`. `label` is for screen readers. */
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
      {/* Beside the code, because a button on top would cover scrolled code. */}
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
