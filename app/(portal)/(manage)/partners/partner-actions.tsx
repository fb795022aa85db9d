'use client'

import { CirclePause, CirclePlay, Clock, Ellipsis, Pencil } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { PartnerLink } from '#app/ui/link.tsx'
import { Menu, MenuItem, MenuLine } from '#app/ui/menu.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { PartnerLine } from './partner.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { ZoneDialog } from './zone-dialog.tsx'

/** Shows the actions for a partner. */
export function PartnerActions({ partner }: { partner: PartnerLine }) {
  const { slug, name, suspendedAt } = partner
  const { suspend, resume, isBusy } = useSuspension(partner)
  const [asked, setAsked] = useState<'name' | 'zone' | 'suspension' | null>(null)
  const close = () => setAsked(null)
  return (
    <div className="flex gap-2 whitespace-nowrap sm:justify-end">
      <PartnerLink href="/" partner={slug} className={button.plain}>
        View<span className="sr-only"> as partner {name}</span>
      </PartnerLink>
      <Menu trigger={<MenuButton name={name} isBusy={isBusy} />}>
        <MenuItem icon={Pencil} onSelect={() => setAsked('name')}>
          Rename
        </MenuItem>
        <MenuItem icon={Clock} onSelect={() => setAsked('zone')}>
          Time zone
        </MenuItem>
        <MenuLine />
        {suspendedAt === null ? (
          <MenuItem icon={CirclePause} onSelect={() => setAsked('suspension')}>
            Suspend
          </MenuItem>
        ) : (
          <MenuItem icon={CirclePlay} onSelect={resume}>
            Resume
          </MenuItem>
        )}
      </Menu>
      {asked === 'name' && <RenameDialog slug={slug} name={name} onClose={close} />}
      {asked === 'zone' && <ZoneDialog partner={partner} onClose={close} />}
      {asked === 'suspension' && <SuspendDialog name={name} onClose={close} onYes={suspend} />}
    </div>
  )
}

/** Returns what suspends and resumes a partner, and whether that is under way. */
function useSuspension({ slug, name }: PartnerLine) {
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
  const isBusy = suspend.isPending || resume.isPending
  return {
    isBusy,
    suspend() {
      if (!isBusy) suspend.mutate({ slug })
    },
    resume() {
      if (!isBusy) resume.mutate({ slug })
    },
  }
}

function MenuButton({
  name,
  isBusy,
  ...trigger
}: ComponentProps<'button'> & { name: string; isBusy: boolean }) {
  return (
    <button
      type="button"
      aria-label={`Actions for ${name}`}
      aria-busy={isBusy}
      {...trigger}
      className={`${button.plain} px-2 aria-busy:opacity-70`}
    >
      {/* Takes the height of text, so that the button is on the baseline of the row. */}
      <span aria-hidden="true">
        <Ellipsis className="inline size-4" />
      </span>
    </button>
  )
}

function SuspendDialog({ name, onClose, onYes }: { name: string; onClose: () => void; onYes: () => void }) {
  return (
    <ConfirmDialog title={`Suspend ${name}?`} yes="Suspend" no="Cancel" onYes={onYes} onClose={onClose}>
      Its tokens stop working, its users are signed out, and no webhooks are sent, effective immediately.
      Deals and events are still recorded. When you resume it, tokens and sign-in work again and waiting
      events are sent.
    </ConfirmDialog>
  )
}
