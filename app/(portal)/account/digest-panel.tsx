'use client'

import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Link } from '#app/ui/link.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { toast } from '#app/ui/toast.tsx'

/** Shows whether the user receives the digest of the week, and switches it. */
export function DigestPanel() {
  const { insight } = trpc.useUtils()
  const query = trpc.insight.digest.useQuery()
  const set = trpc.insight.setDigest.useMutation({
    async onSuccess(_, { isOn }) {
      await insight.digest.invalidate()
      toast.success(isOn ? 'Digest turned on.' : 'Digest turned off.')
    },
    onError: (error) => void toast.error(failureMessage(error)),
  })
  return (
    <Panel
      title="Digest of the week"
      about="An e-mail on Monday at 7 AM with the numbers of the week before."
    >
      <QueryState what="the digest" query={query} data={query.data}>
        {({ isOn, hasMail }) => (
          <div className="flex flex-col items-start gap-3">
            <p className="text-pretty">
              {isOn ? 'On' : 'Off'}
              {isOn && !hasMail && ', but this installation does not send e-mail yet'} ·{' '}
              <Link href="/week" className="text-accent underline underline-offset-2">
                Open the week
              </Link>
            </p>
            <Button busy={set.isPending} onClick={() => set.mutate({ isOn: !isOn })}>
              {isOn ? 'Turn off' : 'Turn on'}
            </Button>
          </div>
        )}
      </QueryState>
    </Panel>
  )
}
