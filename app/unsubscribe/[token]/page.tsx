import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { SignInLayout } from '#app/sign-in/sign-in-layout.tsx'
import { procedures } from '#app/trpc-server.ts'
import { button } from '#app/ui/button-styles.ts'
import { Link } from '#app/ui/link.tsx'
import { toApiError } from '#server/errors.ts'

export const metadata: Metadata = { title: 'Unsubscribe' }

/**
 * Asks for confirmation before stopping mail. Opening the link is not enough, because mail scanners open
 * every link.
 */
export default async function UnsubscribePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params
  const { notifications } = await procedures()
  const { email, byMail } = await notifications.mailChoice({ token }).catch((error: unknown) => {
    if (['NOT_FOUND', 'BAD_REQUEST'].includes(toApiError(error).code)) notFound()
    throw error
  })
  const address = <strong className="font-medium text-ink">{email}</strong>
  if (!byMail)
    return (
      <SignInLayout title="You are unsubscribed" lead={<>No notifications are sent to {address} anymore.</>}>
        <Link href="/account#notifications" className={`${button.plain} h-10 w-full`}>
          Notification settings
        </Link>
      </SignInLayout>
    )
  return (
    <SignInLayout title="Unsubscribe" lead={<>Stop all notifications to {address}?</>}>
      <form method="post" action={`/unsubscribe/${token}?page`}>
        <button type="submit" className={`${button.primary} w-full`}>
          Unsubscribe
        </button>
      </form>
    </SignInLayout>
  )
}
