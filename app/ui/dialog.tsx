'use client'

import { X } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, IconButton, SubmitButton } from './button.tsx'
import { FormProblem } from './fields.tsx'
import { canRestoreFocus } from './keyboard.tsx'

const place = {
  middle: 'top-1/2 left-1/2 w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 -translate-y-1/2 rounded-2xl p-6',
  top: 'top-[max(1rem,12vh)] left-1/2 w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 rounded-2xl',
  left: 'inset-y-0 left-0 w-72 max-w-[calc(100%-3rem)] border-y-0 border-l-0 p-4',
  bottom: 'inset-x-0 bottom-0 rounded-t-2xl border-x-0 border-b-0 p-4',
}

/** Focuses the first field of a form, or the first button if there is no field. */
function focusField(event: Event): void {
  const field = (event.target as HTMLElement).querySelector<HTMLElement>(
    'form :is(input:not([type=checkbox], [type=file], [hidden], [disabled]), textarea)',
  )
  if (field === null) return
  event.preventDefault()
  field.focus()
}

/** A dialog that takes the focus and returns it when closed. Screen readers read even a hidden title. */
export function Dialog({
  title,
  isTitleShown = true,
  at = 'middle',
  onClose,
  children,
}: {
  title: string
  isTitleShown?: boolean
  at?: keyof typeof place
  onClose: () => void
  children: ReactNode
}) {
  // Mounted only while open, so there is no trigger that could get the focus back.
  const [opener] = useState(() => document.activeElement)
  return (
    <Radix.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          data-opener={opener?.textContent.trim()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (canRestoreFocus(opener)) opener.focus()
          }}
          onOpenAutoFocus={focusField}
          className={`fixed z-50 flex max-h-[calc(100dvh-2rem)] animate-appear flex-col border border-line bg-surface shadow-2xl outline-none ${at === 'left' ? 'max-h-none' : ''} ${place[at]}`}
        >
          <div className={isTitleShown ? 'mb-4 flex items-center justify-between gap-4' : 'sr-only'}>
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            {isTitleShown && (
              <Radix.Close asChild>
                <IconButton icon={X} label="Close" className="-m-1.5 size-8 touch rounded-lg" />
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Shows a dialog's form: problem, fields, and buttons to cancel and submit. */
export function DialogForm({
  problem,
  busy,
  submit,
  isDestructive = false,
  isReady = true,
  onSubmit,
  onCancel,
  children,
}: {
  problem: string | null
  busy: boolean
  submit: string
  isDestructive?: boolean
  isReady?: boolean
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown
  onCancel: () => void
  children: ReactNode
}) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit(event)
      }}
      className="-mx-6 flex min-h-0 flex-col gap-4 overflow-y-auto px-6"
    >
      <FormProblem problem={problem} />
      {children}
      <div className="flex flex-wrap justify-end gap-3">
        <Button onClick={onCancel} className="h-10">
          Cancel
        </Button>
        <SubmitButton busy={busy} disabled={!isReady} look={isDestructive ? 'danger' : 'primary'}>
          {submit}
        </SubmitButton>
      </div>
    </form>
  )
}
