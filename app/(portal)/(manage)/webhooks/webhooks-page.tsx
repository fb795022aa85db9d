'use client'

import { Eye, EyeOff, Webhook } from 'lucide-react'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { useRef, useState } from 'react'
import { languages } from '#app/docs/(guides)/webhooks/verify-programs.ts'
import { trpc } from '#app/trpc.ts'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { CodeBlock, CopyButton } from '#app/ui/copy.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { SelectField } from '#app/ui/fields.tsx'
import { Key } from '#app/ui/keyboard.tsx'
import { Link } from '#app/ui/link.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead, Panel } from '#app/ui/page-head.tsx'
import { Loading, QueryState } from '#app/ui/states.tsx'
import { useFormat } from '#app/ui/times.tsx'
import { toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import { isAdmin } from '#server/accounts/role.ts'
import { formatSpan } from '#server/values/units.ts'
import { isUrlKind } from '#server/webhooks/delivery.ts'
import { secretOverlapMs } from '#server/webhooks/policy.ts'
import type { EndpointHealth } from '#server/webhooks/store.ts'
import { PartTabs } from '../controls.tsx'
import { EndpointCards, useEndpointTest } from './endpoint-cards.tsx'
import { EndpointsForm } from './endpoints-form.tsx'
import { endpointLabel } from './labels.ts'
import { Subscriptions } from './subscriptions.tsx'
import { TeamChannels } from './team-channels.tsx'

const refreshMs = 15_000

/** Shows a partner's endpoints with their status and signing secret. Operators cannot see the secret. */
export function WebhooksPage() {
  const { role, seesAllPartners } = useViewer()
  const status = trpc.webhooks.status.useQuery(undefined, {
    enabled: !seesAllPartners,
    refetchInterval: refreshMs,
  })
  return (
    <>
      <PageHead title="Webhooks" about="Send new deals and deal updates to your system within seconds." />
      {seesAllPartners ? (
        <Notice icon={Webhook} title="Select a partner">
          Endpoints belong to a partner. Select one at the top of the page.
        </Notice>
      ) : (
        <QueryState what="endpoints" query={status} data={status.data}>
          {(endpoints) => (
            <Parts
              endpoints={endpoints.filter(({ kind }) => isUrlKind(kind))}
              subscribed={endpoints.filter(({ kind }) => !isUrlKind(kind))}
              nowMs={status.dataUpdatedAt}
              mayManage={isAdmin(role)}
            />
          )}
        </QueryState>
      )}
    </>
  )
}

const tabs = {
  endpoints: 'Endpoints',
  subscriptions: 'Subscriptions',
  secret: 'Signing secret',
  verify: 'Verify',
  channels: 'Team channels',
}
const tabNames = Object.keys(tabs) as (keyof typeof tabs)[]

interface PartsProps {
  endpoints: EndpointHealth[]
  nowMs: number
  mayManage: boolean
}

function Parts({ mayManage, subscribed, ...rest }: PartsProps & { subscribed: EndpointHealth[] }) {
  const [chosen, open] = useQueryState('tab', parseAsStringLiteral(tabNames).withDefault('endpoints'))
  const all = tabNames.filter((name) => name !== 'verify' || mayManage)
  const tab = all.includes(chosen) ? chosen : 'endpoints'
  return (
    <>
      <PartTabs
        label="Parts of webhooks"
        names={all}
        titles={tabs}
        current={tab}
        onOpen={(name) => void open(name)}
      />
      {tab === 'endpoints' && (
        <EndpointsTab {...rest} mayManage={mayManage} onVerify={() => void open('verify')} />
      )}
      {tab === 'subscriptions' && <Subscriptions endpoints={subscribed} mayReplay={mayManage} />}
      {tab === 'secret' && (
        <Panel
          title="Signing secret"
          about="Signs every event so that your system can verify it came from us. Anyone who has it can forge events: keep it out of code and e-mail."
        >
          <Secret mayManage={mayManage} />
        </Panel>
      )}
      {tab === 'verify' && <Snippets />}
      {tab === 'channels' && <TeamChannels />}
    </>
  )
}

function EndpointsTab({ endpoints, nowMs, mayManage, onVerify }: PartsProps & { onVerify: () => void }) {
  const { data: means } = trpc.webhooks.means.useQuery()
  const tests = { create: useEndpointTest('create'), update: useEndpointTest('update') }
  return (
    <>
      {endpoints.length === 0 && mayManage ? (
        <FirstSteps canTryHere={means?.allowLoopback === true} onVerify={onVerify} />
      ) : (
        <EndpointCards endpoints={endpoints} tests={tests} nowMs={nowMs} />
      )}
      <div id="endpoints">
        <Panel
          title="Endpoints"
          about={`${means?.allowHttp === true ? 'HTTP or HTTPS' : 'HTTPS'} URLs of ${mayManage ? 'your' : 'the partner’s'} system. When you save one, we test it.`}
        >
          <EndpointsForm
            endpoints={endpoints}
            onSaved={(kinds) => kinds.forEach((kind) => tests[kind].start())}
          />
        </Panel>
      </div>
    </>
  )
}

const link = 'font-medium text-accent underline underline-offset-2'

/** Shows the setup steps while a partner has no endpoint. */
function FirstSteps({ canTryHere, onVerify }: { canTryHere: boolean; onVerify: () => void }) {
  const steps = [
    {
      title: 'Set a URL',
      text: (
        <>
          A URL of your system that accepts <code className="font-mono text-[0.9em]">POST</code> requests.{' '}
          <a href="#endpoints" className={link}>
            Enter it below
          </a>
          ; we test it right away and tell you what to fix.
        </>
      ),
    },
    { title: 'Send a test event', text: 'See how your system responds to it, and what to fix.' },
    {
      title: 'Verify the signature',
      text: (
        <>
          Make sure that events come from us.{' '}
          <button type="button" onClick={onVerify} className={link}>
            Copy the code for your language
          </button>
          , or read{' '}
          <Link href="/docs/webhooks" className={link}>
            how webhooks work
          </Link>
          .
        </>
      ),
    },
  ]
  return (
    <section aria-label="First steps" className="mb-6 rounded-xl border border-line bg-surface p-5 sm:p-6">
      <p className="mb-4 max-w-2xl text-pretty">
        No endpoints yet. Receive new deals and deal updates in three steps.
      </p>
      <ol className="grid gap-5 md:grid-cols-3">
        {steps.map(({ title, text }, index) => (
          <li key={title} className="flex gap-3">
            <Key>{String(index + 1)}</Key>
            <div>
              <h2 className="font-semibold">{title}</h2>
              <p className="mt-1 text-pretty text-ink-soft">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      {canTryHere && (
        <p className="mt-5 max-w-2xl rounded-lg bg-sunken px-4 py-3 text-pretty">
          To try it on this server, run <code className="font-mono text-[0.9em]">npm run inbox</code>: it
          starts a receiver that verifies and prints events. Set{' '}
          <code className="font-mono text-[0.9em] wrap-anywhere">http://localhost:9000/events</code> as the
          URL.
        </p>
      )}
    </section>
  )
}

const choices = languages.map(({ name }) => ({ value: name, label: name }))

/** Shows code that verifies the signature of the partner's last event, in the selected language. */
function Snippets() {
  const [name, choose] = useState(languages[0]!.name)
  const { data: sample } = trpc.deliveries.sample.useQuery(undefined, { staleTime: Infinity })
  const { file, run, program } = languages.find((each) => each.name === name)!
  return (
    <Panel
      title="Verify a signature"
      about="A complete program with your last event filled in. Run it to check your secret, then copy the function into your receiver."
    >
      <SelectField
        label="Language"
        choices={choices}
        value={name}
        onChange={({ target }) => choose(target.value)}
        className="mb-4 max-w-48"
      />
      {sample === undefined ? (
        <Loading what="your last event" />
      ) : (
        <>
          <CodeBlock label={file} text={program(sample)} />
          <p className="mt-3 mb-1.5 text-ink-soft">
            Save it as <span className="font-mono text-[0.8125rem]">{file}</span>, then run it with the
            signing secret:
          </p>
          <CodeBlock label="Command" text={`export WEBHOOK_SECRET=whsec_…\n${run}`} />
        </>
      )}
    </Panel>
  )
}

/**
 * Shows the signing secret and lets admins reveal and rotate it. Operators only see the date of the last
 * rotation.
 */
function Secret({ mayManage }: { mayManage: boolean }) {
  const { formatInstant } = useFormat()
  const { data: secrets = [] } = trpc.webhooks.secrets.useQuery()
  const [secret, setSecret] = useState<string | null>(null)
  const [current, ...old] = secrets
  const lastExpiresAt = old
    .map(({ expiresAt }) => expiresAt!)
    .toSorted((a, b) => b.getTime() - a.getTime())[0]
  return (
    <>
      <p className="font-mono text-sm wrap-anywhere" aria-label="Signing secret" role="group">
        {secret ?? 'whsec_••••••••••••••••••••••••'}
      </p>
      {current !== undefined && (
        <p className="mt-1 text-ink-soft">In use since {formatInstant(current.createdAt)}.</p>
      )}
      {mayManage && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Reveal secret={secret} setSecret={setSecret} />
          {secret !== null && <CopyButton label="Copy" confirmation="Secret copied." text={() => secret} />}
          <Rotate onRotated={setSecret} />
        </div>
      )}
      {lastExpiresAt !== undefined && <Rotation expiresAt={lastExpiresAt} mayManage={mayManage} />}
    </>
  )
}

function Reveal({ secret, setSecret }: { secret: string | null; setSecret: (to: string | null) => void }) {
  const reveal = trpc.webhooks.reveal.useMutation({
    onSuccess: ([current]) => setSecret(current!.secret),
    onError: toastRefusal,
  })
  const Icon = secret === null ? Eye : EyeOff
  return (
    <Button
      busy={reveal.isPending}
      onClick={() => {
        if (secret !== null) setSecret(null)
        else reveal.mutate()
      }}
    >
      <Icon aria-hidden="true" className="size-4" />
      {secret === null ? 'Reveal' : 'Hide'}
    </Button>
  )
}

function Rotate({ onRotated }: { onRotated: (secret: string) => void }) {
  const { webhooks } = trpc.useUtils()
  const rotate = trpc.webhooks.rotate.useMutation({
    async onSuccess([current]) {
      onRotated(current!.secret)
      await webhooks.secrets.invalidate()
      toast.success('New secret in use. Add it to your receiver.')
    },
    onError: toastRefusal,
  })
  return (
    <Confirm
      trigger={<Button busy={rotate.isPending}>Rotate</Button>}
      title="Rotate the signing secret?"
      yes="Rotate"
      onYes={() => rotate.mutate()}
    >
      Events are signed with a new secret immediately. The current one stays valid for{' '}
      {formatSpan(secretOverlapMs)}: update your receiver within that time, or it will reject every event.
    </Confirm>
  )
}

/** Shows until when the old secret stays valid, and lets an admin retire the secret early. */
function Rotation({ expiresAt, mayManage }: { expiresAt: Date; mayManage: boolean }) {
  const { formatInstant } = useFormat()
  const { webhooks } = trpc.useUtils()
  const section = useRef<HTMLElement>(null)
  const finish = trpc.webhooks.finishRotation.useMutation({
    async onSuccess({ isFinished }) {
      if (!isFinished) return section.current?.focus()
      toast.success('Old secret retired.')
      await webhooks.secrets.invalidate()
    },
  })
  const rejecting = finish.data?.tests.filter(({ state }) => state !== 'delivered') ?? []
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label="Rotation"
      className="mt-5 rounded-lg bg-wait-soft p-4 text-wait outline-offset-4"
    >
      <p className="text-pretty">
        The old secret stays valid until{' '}
        <time dateTime={expiresAt.toISOString()}>{formatInstant(expiresAt)}</time>. Add the new one to your
        receiver before then.
      </p>
      {mayManage && (
        <div className="mt-3">
          <Confirm
            trigger={<Button busy={finish.isPending}>Retire old secret</Button>}
            title="Retire the old secret now?"
            yes="Test and retire"
            onYes={() => finish.mutate()}
          >
            Each endpoint first receives a test event signed with only the new secret. If one rejects it,
            nothing changes. If all accept it, receivers that still use the old secret reject every event from
            then on.
          </Confirm>
        </div>
      )}
      <div role="alert" className="empty:hidden">
        {finish.error !== null && <p className="mt-3">{refusalMessage(finish.error)}</p>}
        {rejecting.length > 0 && (
          <>
            <p className="mt-3">
              The old secret stays valid, because a test event signed with only the new one was rejected:
            </p>
            <ul className="mt-1 list-disc pl-5">
              {rejecting.map(({ kind, name, status, error }) => (
                <li key={kind}>
                  {endpointLabel(kind, name)}:{' '}
                  {status === null ? `no response, ${error}` : `status ${status}`}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  )
}
