'use client'

import type { inferRouterOutputs } from '@trpc/server'
import {
  Bell,
  CalendarClock,
  CalendarDays,
  CheckCheck,
  CircleAlert,
  FileText,
  type LucideIcon,
  MessageSquare,
  MoveRight,
} from 'lucide-react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { Link } from '#app/ui/link.tsx'
import { ListState, pageByPage, useList } from '#app/ui/list.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { When, useFormat } from '#app/ui/times.tsx'
import { toastFailure } from '#app/ui/toast-failure.ts'
import type { Api } from '#server/api.ts'
import { type NotificationKind, linesOf, threadQueryOf } from '#server/notifications/notification.ts'
import { MailRejected } from '../mail-rejected.tsx'

type Notification = inferRouterOutputs<Api>['notifications']['list']['notifications'][number]

const icons: Record<NotificationKind, LucideIcon> = {
  stage: MoveRight,
  dates: CalendarDays,
  late: CalendarClock,
  items: CircleAlert,
  files: FileText,
  messages: MessageSquare,
}

/** Shows news of the deals that the user follows, newest first. */
export function NotificationsPage() {
  const list = useList(
    trpc.notifications.list.useInfiniteQuery({}, pageByPage),
    ({ notifications }) => notifications,
  )
  const { notifications } = trpc.useUtils()
  const readAll = trpc.notifications.readAll.useMutation({
    onSuccess: () => notifications.invalidate(),
    onError: toastFailure,
  })
  return (
    <div className="mx-auto max-w-3xl">
      <PageHead title="Notifications" about="Updates on the deals and views you follow.">
        {!!list.rows?.length && (
          <Button busy={readAll.isPending} onClick={() => readAll.mutate()}>
            <CheckCheck aria-hidden="true" className="size-4" />
            Mark all as read
          </Button>
        )}
        <Link href="/account#notifications" className={button.plain}>
          Settings
        </Link>
      </PageHead>
      <MailRejected />
      <ListState what="your notifications" list={list} empty={<Nothing />}>
        {(rows) => (
          <ol
            aria-label="Notifications"
            className="divide-y divide-line rounded-xl border border-line bg-surface"
          >
            {rows.map((row) => (
              <Row key={row.id} row={row} nowMs={list.nowMs} />
            ))}
          </ol>
        )}
      </ListState>
    </div>
  )
}

function Row({ row, nowMs }: { row: Notification; nowMs: number }) {
  const { dealId, dealName, kind, at, isRead } = row
  const { formatDay } = useFormat()
  const Icon = icons[kind]
  return (
    <li className="relative flex gap-3 px-4 py-3 has-[a:hover]:bg-sunken/60 sm:px-5">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1 justify-between gap-3 sm:flex">
        <div className="min-w-0">
          <p className="wrap-anywhere">
            <Link
              href={`/deals/${dealId}${threadQueryOf(row)}`}
              className="rounded font-medium after:absolute after:inset-0 hover:underline"
            >
              {dealName === '' ? `Deal ${dealId}` : dealName}
            </Link>
          </p>
          {linesOf(row, (time) => formatDay(time, nowMs)).map((line) => (
            <p key={line} className="text-pretty wrap-anywhere text-ink-soft">
              {line}
            </p>
          ))}
        </div>
        <p className="shrink-0 text-xs text-ink-soft max-sm:mt-1">
          <When at={at} nowMs={nowMs} />
        </p>
      </div>
      <span className={`mt-1 size-2 shrink-0 rounded-full ${isRead ? '' : 'bg-accent'}`}>
        {!isRead && <span className="sr-only">Unread</span>}
      </span>
    </li>
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
