import { useEffect, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { useZone } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { zoneLabel } from '#server/accounts/zone-choice.ts'
import { utc } from '#server/values/zone.ts'

/** Marks in this browser that the viewer has finished or skipped the card. */
const doneKey = 'partner-deals.set-up'

/**
 * Asks at the first visit which names in deals are the viewer's, and offers the time zone of the browser; it is set
 * at once where no deal tells another than UTC.
 */
export function SetUpCard() {
  const { data: me } = trpc.accounts.me.useQuery()
  const { data: people } = trpc.notifications.people.useQuery()
  const [isDone, setDone] = useState(true)
  useEffect(() => setDone(me === undefined || localStorage.getItem(doneKey) === me.email), [me])
  const zone = useZone()
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (isDone || me === undefined || people === undefined) return null
  const open = people.some(({ isConfirmed }) => isConfirmed) ? [] : people
  const needsZone = me.timeZone === null && browserZone !== zone && browserZone !== utc
  if (open.length === 0 && !needsZone) return null
  function finish() {
    localStorage.setItem(doneKey, me!.email)
    setDone(true)
  }
  return (
    <section aria-label="Set up" className="mb-5 rounded-xl border border-line bg-surface px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        {open.length > 0 && <Names people={open} onDone={finish} />}
        {needsZone && <BrowserZone zone={browserZone} current={zoneLabel(zone)} isUnknown={zone === utc} />}
        <span className="ml-auto flex flex-wrap gap-2">
          <Link href="/account#notifications" className={button.plain}>
            Notifications
          </Link>
          <Button onClick={finish}>Not now</Button>
        </span>
      </div>
    </section>
  )
}

/** Confirms one of the proposed people; each has a button. */
function Names({
  people,
  onDone,
}: {
  people: { id: number; name: string; email: string; dealCount: number }[]
  onDone: () => void
}) {
  const { invalidate } = trpc.useUtils()
  const confirm = trpc.notifications.confirmPeople.useMutation({
    async onSuccess() {
      await invalidate()
      onDone()
    },
    onError: toastFailure,
  })
  return (
    <>
      <h2 className="font-semibold">Which of these names is you?</h2>
      {people.slice(0, 4).map(({ id, name, email, dealCount }) => (
        <Button
          key={id}
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ ids: [id] })}
          className="max-w-full"
        >
          <span className="min-w-0 truncate">{name || email}</span>{' '}
          <span className="shrink-0 font-normal text-ink-soft">{formatCountOf(dealCount, 'deal')}</span>
        </Button>
      ))}
    </>
  )
}

function BrowserZone({ zone, current, isUnknown }: { zone: string; current: string; isUnknown: boolean }) {
  const router = useRouter()
  const { accounts } = trpc.useUtils()
  const set = trpc.accounts.setTimeZone.useMutation({
    async onSuccess() {
      await accounts.me.invalidate()
      // The server renders the whole portal in it.
      router.refresh()
    },
    onError: toastFailure,
  })
  const { mutate } = set
  useEffect(() => {
    if (isUnknown) mutate({ timeZone: zone })
  }, [isUnknown, mutate, zone])
  if (isUnknown) return null
  return (
    <span className="flex flex-wrap items-center gap-3">
      <span className="text-ink-soft">Times are shown for {current}.</span>
      <Button busy={set.isPending} onClick={() => set.mutate({ timeZone: zone })}>
        Use {zoneLabel(zone)}
      </Button>
    </span>
  )
}
