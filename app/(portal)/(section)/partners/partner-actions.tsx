'use client'

import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Confirm } from '#app/ui/confirm.tsx'
import { PartnerLink } from '#app/ui/link.tsx'
import { toast } from '#app/ui/toast.tsx'
import { RowButton } from '../row-button.tsx'
import type { PartnerLine } from './partner.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { ZoneDialog } from './zone-dialog.tsx'

/** Shows the actions for a partner. */
export function PartnerActions({ partner }: { partner: PartnerLine }) {
  const { slug, name, suspendedAt } = partner
  const { partners } = trpc.useUtils()
  const onError = (error: { message: string; data?: { code: string } | null | undefined }) => {
    toast.error(error.data?.code === 'BAD_REQUEST' ? `${error.message}.` : failureMessage(error))
    void partners.list.invalidate()
  }
  const onSuccess = (message: string) => async () => {
    await partners.list.invalidate()
    toast.success(message)
  }
  const suspend = trpc.partners.suspend.useMutation({
    onSuccess: onSuccess(`${name} suspended.`),
    onError,
  })
  const resume = trpc.partners.resume.useMutation({
    onSuccess: onSuccess(`${name} resumed. Waiting events are being sent.`),
    onError,
  })
  return (
    <div className="flex flex-wrap gap-2 whitespace-nowrap sm:justify-end">
      <PartnerLink href="/" partner={slug} className={button.plain}>
        View as partner<span className="sr-only"> {name}</span>
      </PartnerLink>
      <Settings partner={partner} />
      {suspendedAt !== null ? (
        <RowButton
          busy={resume.isPending}
          name={name}
          onClick={() => {
            if (!resume.isPending) resume.mutate({ slug })
          }}
        >
          Resume
        </RowButton>
      ) : (
        <Confirm
          trigger={
            <RowButton busy={suspend.isPending} name={name}>
              Suspend
            </RowButton>
          }
          title={`Suspend ${name}?`}
          yes="Suspend"
          no="Cancel"
          onYes={() => {
            if (!suspend.isPending) suspend.mutate({ slug })
          }}
        >
          Its tokens stop working, its users are signed out, and no webhooks are sent, effective immediately.
          Deals and events are still recorded. When you resume it, tokens and sign-in work again and waiting
          events are sent.
        </Confirm>
      )}
    </div>
  )
}

function Settings({ partner }: { partner: PartnerLine }) {
  const { slug, name } = partner
  const [isRenaming, setRenaming] = useState(false)
  const [isZoneShown, showZone] = useState(false)
  return (
    <>
      <RowButton busy={false} name={name} onClick={() => setRenaming(true)}>
        Rename
      </RowButton>
      <RowButton busy={false} name={name} onClick={() => showZone(true)}>
        Time zone
      </RowButton>
      {isRenaming && <RenameDialog slug={slug} name={name} onClose={() => setRenaming(false)} />}
      {isZoneShown && <ZoneDialog partner={partner} onClose={() => showZone(false)} />}
    </>
  )
}
