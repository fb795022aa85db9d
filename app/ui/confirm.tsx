'use client'

import * as Radix from 'radix-ui/alert-dialog'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { button } from './button-styles.ts'
import { canRestoreFocus } from './keyboard.tsx'

interface Question {
  title: string
  children: ReactNode
  yes: string
  no?: string
  isDestructive?: boolean
  onYes: () => void
}

/** Asks for confirmation when its trigger is clicked. The trigger must be an element that takes a ref. */
export function Confirm({ trigger, ...question }: Question & { trigger: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <ConfirmContent {...question} />
    </Radix.Root>
  )
}

/** Asks for confirmation. Mount this dialog only while it is open; it returns the focus when closed. */
export function ConfirmDialog({ onClose, ...question }: Question & { onClose: () => void }) {
  const [opener] = useState(() => document.activeElement)
  return (
    <Radix.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
    >
      <ConfirmContent
        {...question}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          if (canRestoreFocus(opener)) opener.focus()
        }}
      />
    </Radix.Root>
  )
}

function ConfirmContent({
  title,
  children,
  yes,
  no = 'Cancel',
  isDestructive = false,
  onYes,
  ...content
}: Question & Pick<ComponentProps<typeof Radix.Content>, 'onCloseAutoFocus'>) {
  return (
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
      <Radix.Content
        {...content}
        className="fixed top-1/2 left-1/2 z-50 w-[calc(100%-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 animate-appear rounded-2xl border border-line bg-surface p-6 shadow-2xl outline-none"
      >
        <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
        <Radix.Description className="mt-1.5 text-pretty text-ink-soft">{children}</Radix.Description>
        <div className="mt-6 flex flex-wrap justify-end gap-3">
          <Radix.Cancel className={`${button.plain} h-10`}>{no}</Radix.Cancel>
          <Radix.Action className={isDestructive ? button.danger : button.primary} onClick={onYes}>
            {yes}
          </Radix.Action>
        </div>
      </Radix.Content>
    </Radix.Portal>
  )
}
