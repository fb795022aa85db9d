'use client'

import { Download, X } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button, IconButton } from '#app/ui/button.tsx'
import { CopyButton } from '#app/ui/copy.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { DownloadLink } from '#app/ui/link.tsx'
import { useZone } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { chosenMax } from '#server/deals/policy.ts'
import type { FoundRow } from '#server/search/router.ts'
import { fileColumns, textOfRows } from './cells.ts'
import { columnsOf } from './columns.ts'
import { AssignButton } from './deal-parts.tsx'
import { type DealsState, viewQuery } from './query.ts'
import { type useChosen, focusActiveRow } from './use-rows.ts'

/** Shows the number of selected rows and the actions for them. */
export function ChosenBar({
  chosen: { rows, clear, setChoosing },
  state,
}: {
  chosen: ReturnType<typeof useChosen>
  state: DealsState
}) {
  const { seesAllPartners } = useViewer()
  const ids = rows.map(({ id }) => String(id))
  const close = () => {
    clear()
    setChoosing(false)
    focusActiveRow()
  }
  return (
    <div
      role="toolbar"
      aria-label="Selected deals"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close()
      }}
      className="fixed inset-x-2 bottom-2 z-30 mx-auto flex w-fit animate-appear items-center gap-2 rounded-xl border border-line bg-surface p-2 shadow-lg max-md:grid max-md:w-auto max-md:grid-cols-[repeat(3,auto)] max-md:*:px-2! md:bottom-4 print:hidden"
    >
      <p role="status" className="px-2 font-medium whitespace-nowrap tabular-nums max-md:col-span-2">
        {rows.length === 0 ? 'Tap deals to select them' : `${formatCount(rows.length)} selected`}
        {rows.length === chosenMax && <span className="font-normal text-ink-soft"> (maximum)</span>}
      </p>
      {rows.length > 0 && (
        <>
          <CopyRows rows={rows} state={state} />
          <DownloadLink
            href={`/deals/export?${[viewQuery(state), `ids=${ids.join(',')}`].filter(Boolean).join('&')}`}
            className={button.plain}
          >
            <Download aria-hidden="true" className="size-4" />
            Export
          </DownloadLink>
          <FollowButton ids={ids} />
          {!seesAllPartners && <AssignButton ids={ids} label="Assign" onAssigned={close} />}
        </>
      )}
      <IconButton
        icon={X}
        label="Clear selection"
        title="Clear (Esc)"
        onClick={close}
        className="size-9 touch rounded-lg max-md:-order-1 max-md:col-start-3 max-md:row-start-1 max-md:justify-self-end"
      />
    </div>
  )
}

function FollowButton({ ids }: { ids: string[] }) {
  const { notifications } = trpc.useUtils()
  const [followed, setFollowed] = useState('')
  const isOn = followed !== ids.join()
  const { mutate, isPending } = trpc.notifications.setFollow.useMutation({
    async onSuccess(count, input) {
      toast.success(`${input.isOn ? 'Following' : 'No longer following'} ${formatCountOf(count, 'deal')}.`)
      setFollowed(input.isOn ? input.ids.join() : '')
      await notifications.follow.invalidate()
    },
    onError: toastFailure,
  })
  return (
    <Button busy={isPending} onClick={() => mutate({ ids, isOn })}>
      {isOn ? 'Follow' : 'Unfollow'}
    </Button>
  )
}

/** Copies the rows as displayed, in a format that spreadsheets paste as cells. */
function CopyRows({ rows, state }: { rows: FoundRow[]; state: DealsState }) {
  const { seesAllPartners } = useViewer()
  const zone = useZone()
  return (
    <CopyButton
      label="Copy"
      confirmation={`${formatCountOf(rows.length, 'row')} copied.`}
      text={() => textOfRows(fileColumns(columnsOf(state, seesAllPartners), zone, Date.now()), rows)}
    />
  )
}
