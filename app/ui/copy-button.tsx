'use client'

import { Copy, type LucideIcon } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { button } from './button.ts'
import { toast } from './toast.tsx'

const CopyDialog = dynamic(() => import('./copy-dialog.tsx').then((module) => module.CopyDialog), {
  ssr: false,
})

const looks = {
  plain: button.plain,
  icon: '-my-1 grid size-7 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink',
}

/** Copies a text and shows a toast; shows the text to copy by hand if the browser forbids it. As an icon, only screen readers read the label. */
export function CopyButton({
  label,
  confirmation,
  text,
  icon: Icon = Copy,
  look = 'plain',
}: {
  label: string
  /** The text of the toast. */
  confirmation: string
  text: () => string
  icon?: LucideIcon
  look?: keyof typeof looks
}) {
  const [shown, show] = useState<string | null>(null)

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
        <Icon aria-hidden="true" className={look === 'icon' ? 'size-3.5' : 'size-4'} />
        <span className={look === 'icon' ? 'sr-only' : undefined}>{label}</span>
      </button>
      {shown !== null && <CopyDialog text={shown} onClose={() => show(null)} />}
    </>
  )
}
