import {
  Check,
  CircleAlert,
  ListChecks,
  type LucideIcon,
  Minus,
  SunMedium,
  House,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '#app/ui/copy.tsx'
import { lazyPart } from '#app/ui/load-part.ts'
import { useFormat } from '#app/ui/times.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { FlagField } from '#server/deals/columns.ts'
import type { KnownDeal, DealField, Person } from '#server/deals/deal.ts'
import type { Step } from '#server/deals/timeline.ts'
import { DealFacts, DealSection, EditButton } from '../deal-parts.tsx'
import { dealAddress } from '../deal-text.ts'
import { alarming, sizeText, fieldGroups, fieldLabels, personName } from '../fields.ts'
import { WebLink, MailLink, MapLink, PhoneLink, usePhones } from './contact-links.tsx'
import {
  hasBatteryText,
  hasHoaText,
  requirementText,
  batteryText,
  countedText,
  hoaApprovalText,
} from './fact-text.ts'

const PhoneDialog = lazyPart(() => import('./phone-dialog.tsx').then((module) => module.PhoneDialog))

/** Shows the homeowner and street address. */
export function HomeownerSection({ deal }: { deal: KnownDeal }) {
  const { firstName, lastName, nameOnUb, primaryPhone, utilityName, coordinates } = deal
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const { isDeveloper } = useViewer()
  const address = dealAddress(deal)
  return (
    <DealSection title="Homeowner" icon={UserRound}>
      <DealFacts
        none="No homeowner details."
        facts={[
          { label: 'Name', value: name },
          { label: 'Phone', value: primaryPhone && <PhoneLink number={primaryPhone} /> },
          {
            label: 'Address',
            value: address && <MapLink address={address} />,
          },
          {
            label: 'Coordinates',
            value: isDeveloper && coordinates && <Coordinates text={coordinates} />,
          },
          { label: 'Utility', value: utilityName },
          { label: 'Name on utility bill', value: nameOnUb },
        ]}
      />
    </DealSection>
  )
}

const Coordinates = ({ text }: { text: string }) => (
  <span className="flex items-start justify-between gap-2">
    <span className="min-w-0">{text}</span>
    <CopyButton look="icon" label="Copy coordinates" confirmation="Coordinates copied." text={() => text} />
  </span>
)

const shownMax = 4

/** Shows the people with a role in the deal. */
export function DealPeople({ deal }: { deal: KnownDeal }) {
  const roles: readonly DealField[] = fieldGroups.find(({ name }) => name === 'People')!.fields
  const { isDeveloper, role: ownRole } = useViewer()
  const [isEditing, setEditing] = useState(false)
  const known = [...roles, ...(isDeveloper ? (['dealer'] as const) : [])].filter(
    (role) => deal[role] !== null && deal[role] !== '',
  )
  const rest = known.length > shownMax + 1 ? known.slice(shownMax) : []
  return (
    <DealSection
      title="People"
      icon={UsersRound}
      aside={
        ownRole === 'operator' && (
          <EditButton isEditing={isEditing} setEditing={setEditing}>
            Edit phone numbers
          </EditButton>
        )
      }
    >
      {known.length === 0 && <p className="text-ink-soft">No people recorded.</p>}
      <Roles deal={deal} roles={known.slice(0, known.length - rest.length)} isEditing={isEditing} />
      {rest.length > 0 && (
        <details className="mt-3">
          <summary className="touch w-fit rounded text-ink-soft hover:text-ink">
            {rest.length} more people
          </summary>
          <div className="mt-3">
            <Roles deal={deal} roles={rest} isEditing={isEditing} />
          </div>
        </details>
      )}
    </DealSection>
  )
}

function Roles({
  deal,
  roles,
  isEditing,
}: {
  deal: KnownDeal
  roles: readonly DealField[]
  isEditing: boolean
}) {
  const phoneOf = usePhones(String(deal.id))
  return (
    <dl className="grid gap-3">
      {roles.map((role) => (
        <div key={role}>
          <dt className="text-xs text-ink-soft">{fieldLabels[role].label}</dt>
          <dd className="wrap-anywhere">
            {typeof deal[role] === 'string' ? (
              <span className="font-medium">{deal[role]}</span>
            ) : (
              <PersonLine
                person={deal[role] as Person}
                phone={phoneOf(deal[role] as Person)}
                isEditing={isEditing}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function PersonLine({
  person,
  phone,
  isEditing,
}: {
  person: Person
  phone: string | null
  isEditing: boolean
}) {
  const { email, teams } = person
  return (
    <>
      <span className="block">
        <span className="font-medium">{personName(person)}</span>
        {teams && <span className="text-ink-soft"> · {teams}</span>}
      </span>
      {email && <MailLink address={email} />}
      {phone !== null && (
        <span className="block">
          <PhoneLink number={phone} />
        </span>
      )}
      {email && isEditing && <PhoneButton name={personName(person)} email={email} phone={phone} />}
    </>
  )
}

function PhoneButton(of: { name: string; email: string; phone: string | null }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="block rounded text-xs text-ink-soft hover:text-ink hover:underline max-lg:min-h-11 print:hidden"
      >
        {of.phone === null ? 'Add phone number' : 'Change phone number'}
        <span className="sr-only"> of {of.name}</span>
      </button>
      {isOpen && <PhoneDialog {...of} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Shows the homeowners' association and its approval. Renders nothing if both are unknown. */
export function Hoa({ deal, nowMs }: { deal: KnownDeal; nowMs: number }) {
  const { hoaName, hoaEmail, hoaNumber } = deal
  const approval = hoaApprovalText(deal, nowMs, useFormat())
  if (!hoaName && !hoaEmail && !hoaNumber && !approval) return null
  return (
    <DealSection title="HOA" icon={House}>
      <DealFacts
        none=""
        facts={[
          { label: 'Name', value: hoaName },
          { label: 'E-mail', value: hoaEmail && <MailLink address={hoaEmail} /> },
          { label: 'Phone', value: hoaNumber && <PhoneLink number={hoaNumber} /> },
          { label: 'Approval', value: approval },
        ]}
      />
    </DealSection>
  )
}

/** Shows the solar system and its designs. */
export function SystemSection({ deal }: { deal: KnownDeal }) {
  const { isDeveloper } = useViewer()
  const { roofType, designToolAProjectId, designToolBProjectId, designToolCProjectId, proposalLink } = deal
  return (
    <DealSection title="System" icon={SunMedium}>
      <DealFacts
        none="No system details."
        facts={[
          { label: 'Size', value: sizeText(deal.systemSize) },
          { label: 'Modules', value: countedText(deal.numberOfModules, deal.moduleType) },
          { label: 'Inverters', value: countedText(deal.numberOfInverters, deal.inverterType) },
          { label: 'Battery', value: batteryText(deal) },
          { label: 'Roof', value: roofType },
          { label: 'Proposal', value: proposalLink && <WebLink address={proposalLink} /> },
          { label: 'Design tool A', value: isDeveloper && designToolAProjectId },
          { label: 'Design tool B', value: isDeveloper && designToolBProjectId },
          { label: 'Design tool C', value: isDeveloper && designToolCProjectId },
        ]}
      />
    </DealSection>
  )
}

const tasks = {
  installCompleted: ['Installed', 'Not marked installed'],
  scopeOfWorkPacket: ['Scope-of-work packet completed', 'Scope-of-work packet not completed'],
  plansetMatchesAsBuilt: ['Planset matches as-built', 'Planset not confirmed as-built'],
  m2Approved: ['M2 approved', 'M2 not marked approved'],
  hasOutstandingItems: ['Outstanding items', 'No outstanding items'],
  hasChangesToAdders: ['Adders changed', 'Adders unchanged'],
} as const satisfies Partial<Record<FlagField, [string, string]>>

/** Shows a deal's checklist, and facts about the deal below it. */
export function Flags({ deal, timeline }: { deal: KnownDeal; timeline: readonly Step[] }) {
  // A flag without a value is unknown, not open.
  const visible = (Object.entries(tasks) as [keyof typeof tasks, [string, string]][]).filter(
    ([field]) => deal[field] !== null,
  )
  return (
    <DealSection title="Checklist" icon={ListChecks}>
      <ul className="mb-4 grid gap-2 border-b border-line pb-4 empty:hidden">
        {visible.map(([field, [done, open]]) => {
          const isSet = deal[field] === true
          const { icon: Icon, color } = lookOf(field, isSet)
          return (
            <li key={field} className={`flex items-start gap-2 ${isSet ? '' : 'text-ink-soft'}`}>
              <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
              {isSet ? done : open}
            </li>
          )
        })}
      </ul>
      <DealFacts
        none=""
        facts={[
          { label: 'Permit', value: requirementText(deal, 'permit', timeline) },
          { label: 'Inspection', value: requirementText(deal, 'inspection', timeline) },
          { label: 'HOA', value: hasHoaText(deal) },
          { label: 'Battery', value: hasBatteryText(deal) },
        ]}
      />
    </DealSection>
  )
}

function lookOf(field: FlagField, isSet: boolean): { icon: LucideIcon; color: string } {
  if (!isSet) return { icon: Minus, color: 'text-ink-soft' }
  return alarming.includes(field)
    ? { icon: CircleAlert, color: 'text-ink' }
    : { icon: Check, color: 'text-good' }
}
