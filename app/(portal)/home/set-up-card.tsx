import { useEffect, useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Link, useRouter } from '#app/ui/link.tsx'
import { useZone } from '#app/ui/times.tsx'
import { done, toastFailure } from '#app/ui/toast-failure.ts'
import { utc } from '#server/values/zone.ts'

type Person = Outputs['notifications']['people'][number]

const doneKey = 'partner-deals.set-up'

/** Asks a new user which names in deals are theirs, and sets an unknown time zone. */
export function SetUpCard() {
  const { data: me } = trpc.accounts.me.useQuery()
  const { data: people } = trpc.notifications.people.useQuery()
  const [isDone, setDone] = useState(true)
  useEffect(() => setDone(me === undefined || localStorage.getItem(doneKey) === me.email), [me])
  useBrowserZone(me !== undefined && me.timeZone === null)
  if (isDone || me === undefined || people === undefined) return null
  if (people.length === 0 || people.some(({ isConfirmed }) => isConfirmed)) return null
  function finish() {
    localStorage.setItem(doneKey, me!.email)
    setDone(true)
  }
  return (
    <section aria-label="Set up" className="mb-5 rounded-xl border border-line bg-surface px-4 py-4 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <Names people={people} onDone={finish} />
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

/** Sets the user's time zone to the browser's if no other zone than UTC is known. */
function useBrowserZone(isUnset: boolean): void {
  const router = useRouter()
  const isUnknown = useZone() === utc && isUnset
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const { mutate } = trpc.accounts.setTimeZone.useMutation({
    // The server renders the whole portal in the new time zone.
    onSuccess: () => router.refresh(),
    onError: toastFailure,
  })
  useEffect(() => {
    if (isUnknown && timeZone !== utc) mutate({ timeZone })
  }, [isUnknown, timeZone, mutate])
}

function Names({ people, onDone }: { people: Person[]; onDone: () => void }) {
  const { invalidate } = trpc.useUtils()
  const confirm = trpc.notifications.confirmPeople.useMutation({
    ...done(() => invalidate(), null, onDone),
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
