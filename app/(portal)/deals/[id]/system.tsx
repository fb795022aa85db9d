import { SunMedium } from 'lucide-react'
import type { KnownDeal } from '#server/deals/deal.ts'
import { WebLink } from './contact-links.tsx'
import { DealFacts, DealSection } from './section.tsx'

/** Shows the system and its designs. */
export function SystemSection({ deal }: { deal: KnownDeal }) {
  const {
    roofType,
    battery,
    hasBattery,
    numberOfBatteries,
    designToolAProjectId,
    designToolBProjectId,
    designToolCProjectId,
    proposalLink,
  } = deal
  return (
    <DealSection title="System" icon={SunMedium}>
      <DealFacts
        none="No system details yet."
        facts={[
          { label: 'Size', value: sizeText(deal.systemSize) },
          { label: 'Modules', value: counted(deal.numberOfModules, deal.moduleType) },
          { label: 'Inverters', value: counted(deal.numberOfInverters, deal.inverterType) },
          {
            label: 'Battery',
            value: hasBattery || battery !== null ? counted(numberOfBatteries, battery ?? 'Yes') : 'None',
          },
          { label: 'Roof', value: roofType },
          { label: 'Proposal', value: proposalLink && <WebLink address={proposalLink} /> },
          { label: 'Design tool A', value: designToolAProjectId },
          { label: 'Design tool B', value: designToolBProjectId },
          { label: 'Design tool C', value: designToolCProjectId },
        ]}
      />
    </DealSection>
  )
}

/** Formats the system size, a text; a plain number is in kilowatts. */
export const sizeText = (size: string | null) => (/^\d+(?:\.\d+)?$/.test(size ?? '') ? `${size} kW` : size)

/** Formats a count with its type: `22 × Enphase IQ8M`. */
function counted(count: string | null, what: string | null): string | null {
  if (what === null || what === '') return count
  return count === null || ['', '0'].includes(count) ? what : `${count} × ${what}`
}
