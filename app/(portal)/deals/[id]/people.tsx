import { House, UserRound, UsersRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { useFormat } from '#app/ui/zone.tsx'
import type { KnownDeal, DealField, Person } from '#server/deals/deal.ts'
import { dealAddress } from '../deal-name.ts'
import { fieldGroups, fieldLabels } from '../field-labels.ts'
import { MailLink, MapLink, PhoneLink } from './contact-links.tsx'
import { personName } from './field-text.ts'
import { DealFacts, DealSection } from './section.tsx'

/** Shows the homeowner and street address. */
export function HomeownerSection({ deal }: { deal: KnownDeal }) {
  const { firstName, lastName, nameOnUb, primaryPhone, utilityName, coordinates } = deal
  const name = [firstName, lastName].filter(Boolean).join(' ')
  const address = dealAddress(deal)
  return (
    <DealSection title="Homeowner" icon={UserRound}>
      <DealFacts
        none="No homeowner details yet."
        facts={[
          { label: 'Name', value: name },
          { label: 'Phone', value: primaryPhone && <PhoneLink number={primaryPhone} /> },
          {
            label: 'Address',
            value: address && (
              <Copyable text={address} what="address">
                <MapLink address={address} />
              </Copyable>
            ),
          },
          { label: 'Coordinates', value: coordinates && <Copyable text={coordinates} what="coordinates" /> },
          { label: 'Utility', value: utilityName },
          { label: 'On utility bill', value: nameOnUb },
        ]}
      />
    </DealSection>
  )
}

function Copyable({ text, what, children = text }: { text: string; what: string; children?: ReactNode }) {
  return (
    <span className="flex items-start justify-between gap-2">
      <span className="min-w-0">{children}</span>
      <CopyButton
        look="icon"
        label={`Copy ${what}`}
        said={`${what === 'address' ? 'Address' : 'Coordinates'} copied.`}
        text={() => text}
      />
    </span>
  )
}

/** Shows the people with a role in the deal. */
export function DealPeople({ deal }: { deal: KnownDeal }) {
  const roles: readonly DealField[] = fieldGroups.find(({ name }) => name === 'People')!.fields
  const known = [...roles, 'dealer' as const].filter((role) => deal[role] !== null && deal[role] !== '')
  return (
    <DealSection title="People" icon={UsersRound}>
      {known.length === 0 && <p className="text-ink-soft">No people assigned yet.</p>}
      <dl className="grid gap-3">
        {known.map((role) => (
          <div key={role}>
            <dt className="text-xs text-ink-soft">{fieldLabels[role].label}</dt>
            <dd className="wrap-anywhere">
              <PersonLine person={deal[role] as Person | string} />
            </dd>
          </div>
        ))}
      </dl>
    </DealSection>
  )
}

/** Shows a person, or only a name. */
function PersonLine({ person }: { person: Person | string }) {
  if (typeof person === 'string') return <span className="font-medium">{person}</span>
  const { email, teams } = person
  return (
    <>
      <span className="block">
        <span className="font-medium">{personName(person)}</span>
        {teams && <span className="text-ink-soft"> · {teams}</span>}
      </span>
      {email && <MailLink address={email} />}
    </>
  )
}

/** Shows the homeowners' association and its approval. */
export function Hoa({
  deal: { hasHoa, hoaName, hoaEmail, hoaNumber, hoaApprovedDate },
  nowMs,
}: {
  deal: KnownDeal
  nowMs: number
}) {
  const { formatDay } = useFormat()
  return (
    <DealSection title="HOA" icon={House}>
      <DealFacts
        none={hasHoa === null ? 'HOA not known.' : 'No HOA.'}
        facts={[
          { label: 'Name', value: hoaName },
          { label: 'E-mail', value: hoaEmail && <MailLink address={hoaEmail} /> },
          { label: 'Phone', value: hoaNumber && <PhoneLink number={hoaNumber} /> },
          {
            label: 'Approval',
            value:
              hoaApprovedDate !== null
                ? `Approved ${formatDay(hoaApprovedDate, nowMs)}`
                : hasHoa && 'Not approved yet',
          },
        ]}
      />
    </DealSection>
  )
}
