'use client'

import {
  Archive,
  Bell,
  CalendarClock,
  CalendarDays,
  CircleAlert,
  FileText,
  type LucideIcon,
  MessageSquare,
  MoveRight,
} from 'lucide-react'
import { useRef, useState } from 'react'
import { type Outputs, trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { useShortcut } from '#app/ui/keyboard.tsx'
import { Link } from '#app/ui/link.tsx'
import { ListState, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { type NotificationKind, linesOf, threadQueryOf } from '#server/notifications/notification.ts'
import { MailRejected } from '../mail-rejected.tsx'

type Notification = Outputs['notifications']['list']['notifications'][number]

const icons: Record<NotificationKind, LucideIcon> = {
  stage: MoveRight,
  dates: CalendarDays,
  late: CalendarClock,
  items: CircleAlert,
  files: FileText,
  messages: MessageSquare,
}

/** Shows updates on followed deals, grouped by deal, newest first. Read notifications are in the archive. */
export function NotificationsPage() {
  const list = useList(
    trpc.notifications.list.useInfiniteQuery({}, pageByPage),
    ({ notifications }) => notifications,
  )
  const [isArchiveShown, setArchiveShown] = useState(false)
  const { notifications } = trpc.useUtils()
  const onDone = { onSuccess: () => notifications.invalidate(), onError: toastFailure }
  const archiveAll = trpc.notifications.readAll.useMutation(onDone)
  const archive = trpc.notifications.readDeal.useMutation(onDone)
  return (
    <div className="mx-auto max-w-3xl">
      <PageHead title="Notifications" about="Updates on the deals and views you follow.">
        {list.rows?.some(({ isRead }) => !isRead) && (
          <Button busy={archiveAll.isPending} onClick={() => archiveAll.mutate()}>
            <Archive aria-hidden="true" className="size-4" />
            Archive all
          </Button>
        )}
        <Link href="/account#notifications" className={button.plain}>
          Settings
        </Link>
      </PageHead>
      <MailRejected />
      <ListState what="your notifications" list={list} empty={<Nothing />}>
        {(rows) => (
          <>
            <Deals
              label="Notifications"
              rows={rows.filter(({ isRead }) => !isRead)}
              nowMs={list.nowMs}
              onArchive={(id) => archive.mutate({ id })}
            />
            {rows.some(({ isRead }) => isRead) && (
              <Button aria-expanded={isArchiveShown} onClick={() => setArchiveShown(!isArchiveShown)}>
                {isArchiveShown ? 'Hide archived' : 'Show archived'}
              </Button>
            )}
            {isArchiveShown && (
              <div className="mt-4">
                <Deals label="Archived" rows={rows.filter(({ isRead }) => isRead)} nowMs={list.nowMs} />
              </div>
            )}
          </>
        )}
      </ListState>
    </div>
  )
}

/** Shows notifications by deal. E archives the focused deal, or the first deal if none is focused. */
function Deals({
  label,
  rows,
  nowMs,
  onArchive,
}: {
  label: string
  rows: Notification[]
  nowMs: number
  onArchive?: (dealId: string) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  const groups = [...Map.groupBy(rows, ({ dealId }) => dealId)]
  useShortcut((key) => {
    if (key !== 'e' || onArchive === undefined) return false
    const items = [...(list.current?.children ?? [])]
    const at = Math.max(0, items.indexOf(document.activeElement?.closest('li') ?? list.current!))
    const [id] = groups[at] ?? []
    if (id === undefined) return false
    items[at + 1]?.querySelector('a')?.focus()
    onArchive(id)
    return true
  })
  if (groups.length === 0) return <p className="mb-4 text-ink-soft">You’re all caught up.</p>
  return (
    <ol
      ref={list}
      aria-label={label}
      className="mb-4 divide-y divide-line rounded-xl border border-line bg-surface"
    >
      {groups.map(([id, news]) => (
        <li key={id} className="relative flex gap-3 px-4 py-3 has-[a:hover]:bg-sunken/60 sm:px-5">
          <DealNews news={news} nowMs={nowMs} />
          {onArchive !== undefined && (
            <Button
              aria-label={`Archive ${nameOf(news[0]!)}`}
              title="Archive (E)"
              onClick={() => onArchive(id)}
              className="relative z-1 shrink-0 self-start px-2"
            >
              <Archive aria-hidden="true" className="size-4" />
            </Button>
          )}
        </li>
      ))}
    </ol>
  )
}

const nameOf = ({ dealName, dealId }: Notification) => (dealName === '' ? `Deal ${dealId}` : dealName)

function DealNews({ news, nowMs }: { news: Notification[]; nowMs: number }) {
  const { formatDay } = useFormat()
  const [first] = news
  return (
    <div className="min-w-0 flex-1">
      <p className="wrap-anywhere">
        <Link
          href={`/deals/${first!.dealId}${threadQueryOf(first!)}`}
          className="rounded font-medium after:absolute after:inset-0 hover:underline"
        >
          {nameOf(first!)}
        </Link>
      </p>
      <ul>
        {news.map((row) => {
          const Icon = icons[row.kind]
          return (
            <li key={row.id} className="flex gap-2.5 pt-1 text-ink-soft">
              <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
              <div className="min-w-0 flex-1 justify-between gap-3 sm:flex">
                <div className="min-w-0">
                  {linesOf(row, (time) => formatDay(time, nowMs)).map((line) => (
                    <p key={line} className="text-pretty wrap-anywhere">
                      {line}
                    </p>
                  ))}
                </div>
                <p className="shrink-0 text-xs">
                  <When at={row.at} nowMs={nowMs} />
                </p>
              </div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

const Nothing = () => (
  <Notice
    icon={Bell}
    title="No notifications yet"
    action={
      <Link href="/account#notifications" className={button.plain}>
        Find your deals
      </Link>
    }
  >
    Follow a deal, a view, or all deals that name you, and what happens to them appears here.
  </Notice>
)
