'use client'

import { Bell, BellRing } from 'lucide-react'
import { useEffect } from 'react'
import { trpc } from '#app/trpc.ts'
import { toastFailure } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useShortcut } from '#app/ui/use-shortcut.ts'

/** Follows or unfollows a deal, by click or with F. Opening the deal marks its notifications as read. */
export function FollowButton({ id }: { id: string }) {
  const { notifications } = trpc.useUtils()
  const { data } = trpc.notifications.follow.useQuery({ id })
  const { mutate, isPending } = trpc.notifications.setFollow.useMutation({
    onSuccess: (_, { isOn }) =>
      void toast.success(isOn ? 'Following this deal.' : 'No longer following this deal.'),
    onError: toastFailure,
    onSettled: () => notifications.follow.invalidate({ id }),
  })
  useReadOnOpening(id)
  const isFollowing = data?.isFollowing
  useShortcut((key) => {
    if (key !== 'f' || isFollowing === undefined) return false
    if (!isPending) mutate({ id, isOn: !isFollowing })
    return true
  })
  if (data === undefined) return null
  const Icon = data.isFollowing ? BellRing : Bell
  return (
    <button
      type="button"
      aria-pressed={data.isFollowing}
      aria-keyshortcuts="F"
      title={`${data.isFollowing ? 'Unfollow' : 'Follow'} this deal (F)`}
      onClick={() => isPending || mutate({ id, isOn: !data.isFollowing })}
      className="flex h-9 items-center gap-2 rounded-lg border border-line bg-surface px-3 font-medium hover:bg-sunken max-lg:h-11"
    >
      <Icon aria-hidden="true" className={`size-4 ${data.isFollowing ? 'text-accent' : 'text-ink-soft'}`} />
      {data.isFollowing ? 'Following' : 'Follow'}
    </button>
  )
}

/** Marks a deal's notifications as read while the deal is displayed. */
function useReadOnOpening(id: string): void {
  const { notifications } = trpc.useUtils()
  const { data: unread = 0 } = trpc.notifications.unread.useQuery()
  const { mutate } = trpc.notifications.readDeal.useMutation({
    onSuccess: () => Promise.all([notifications.unread.invalidate(), notifications.list.invalidate()]),
  })
  useEffect(() => {
    // Runs again when new notifications increase `unread`.
    if (unread > 0) mutate({ id })
  }, [id, unread, mutate])
}
