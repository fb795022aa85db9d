import { SunMedium } from 'lucide-react'
import type { KnownDeal } from '#server/deals/deal.ts'
import { useViewer } from '../../viewer-of-page.tsx'
import { WebLink } from './contact-links.tsx'
import { batteryText, countedText } from './fact-text.ts'
import { sizeText } from './field-text.ts'
import { DealFacts, DealSection } from './section.tsx'

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
