'use client'

import { type FormEvent, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { FormProblem, TextField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { Panel } from '#app/ui/page-head.tsx'
import { dayMs } from '#server/values/units.ts'
import { FilterFields } from './filter-fields.tsx'
import { filterChoiceOf, filterOfChoice, refusalProblems } from './subscription-filter.ts'

/** Sends recorded events of a deal or a day to a URL as test events. */
export function Replay() {
  const [url, setUrl] = useState('')
  const [dealId, setDealId] = useState('')
  const [day, setDay] = useState('')
  const [filter, setFilter] = useState(filterChoiceOf(null))
  const { run, count, stoppedBy, isRunning, problems } = useReplay()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const since = day === '' ? undefined : new Date(`${day}T00:00`)
    void run({
      url: url.trim(),
      dealId: dealId.trim() || undefined,
      since,
      until: since && new Date(since.getTime() + dayMs),
      ...filterOfChoice(filter),
      events: ['deal.created', 'deal.updated', 'deal.removed'],
    })
  }
  return (
    <Panel
      title="Replay"
      about="Sends recorded events to a URL once, in order and marked “test”: true, until one is rejected. They do not appear in the log."
    >
      <form noValidate onSubmit={submit} className="flex max-w-xl flex-col gap-4">
        <FormProblem problem={problems.form} />
        <TextField
          label="URL to replay to"
          type="url"
          placeholder="https://"
          autoComplete="off"
          error={problems.url}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextField
          label="Deal ID"
          hint="Replays all events of this deal. Optional."
          error={problems.dealId}
          value={dealId}
          onChange={({ target }) => setDealId(target.value)}
        />
        <TextField label="Day" type="date" value={day} onChange={({ target }) => setDay(target.value)} />
        <FilterFields choice={filter} problem={problems.filter} onChange={setFilter} />
        <SubmitButton busy={isRunning} className="self-start">
          Replay
        </SubmitButton>
        <p role="status" className="empty:hidden">
          {count !== null && replayText(count, { isRunning, stoppedBy })}
        </p>
      </form>
    </Panel>
  )
}

function replayText(
  count: number,
  { isRunning, stoppedBy }: { isRunning: boolean; stoppedBy: string | null },
): string {
  if (count === 0 && stoppedBy === null) return isRunning ? 'Replaying …' : 'No events to replay.'
  const accepted = `${formatCountOf(count, 'event')} accepted${isRunning ? ' so far' : ''}.`
  return stoppedBy === null ? accepted : `${accepted} Stopped at event ${stoppedBy}.`
}

type Input = Parameters<ReturnType<typeof trpc.subscriptions.replay.useMutation>['mutateAsync']>[0]

/** Returns a function that replays events in batches until the last batch or the first error. */
function useReplay() {
  const [count, setCount] = useState<number | null>(null)
  const [stoppedBy, setStoppedBy] = useState<string | null>(null)
  const replay = trpc.subscriptions.replay.useMutation({ trpc: { context: { isAlone: true } } })
  async function run(input: Input): Promise<void> {
    setStoppedBy(null)
    setCount(0)
    try {
      for (let after: number | null = 0; after !== null;) {
        const { replayed, next }: Awaited<ReturnType<typeof replay.mutateAsync>> = await replay.mutateAsync({
          ...input,
          after,
        })
        setCount((sum) => (sum ?? 0) + replayed.filter(({ state }) => state === 'delivered').length)
        const failed = replayed.find(({ state }) => state === 'failed')
        if (failed !== undefined)
          setStoppedBy(`${failed.sequence}: ${failed.error ?? `status ${failed.status}`}`)
        after = next
      }
    } catch {
      setCount(null)
    }
  }
  return {
    run,
    count,
    stoppedBy,
    isRunning: replay.isPending,
    problems: refusalProblems(replay.error),
  }
}
