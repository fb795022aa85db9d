import { House, UserRound, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { CopyButton } from '#app/ui/copy.tsx'
import { lazyPart } from '#app/ui/lazy-part.ts'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField, KnownDeal, Person } from '#server/deals/deal.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { dealAddress } from '../deal-name.ts'
import { fieldGroups, fieldLabels } from '../field-labels.ts'
import { MailLink, MapLink, PhoneLink, usePhones } from './contact-links.tsx'
import { hoaApprovalText } from './fact-text.ts'
import { personName } from './field-text.ts'
import { DealFacts, DealSection, EditButton } from './section.tsx'

// Load the dialog when it first opens.
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

/** Maximum number of people before the list is collapsed. */
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

/** Shows a person and, while editing, a button that sets the phone number. */
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
