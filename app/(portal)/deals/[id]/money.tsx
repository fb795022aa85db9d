import { CircleDollarSign } from 'lucide-react'
import type { Format } from '#app/ui/format.ts'
import { useFormat } from '#app/ui/times.tsx'
import type { DealField, KnownDeal } from '#server/deals/deal.ts'
import { fieldLabels } from '../field-labels.ts'
import { fieldText } from './field-text.ts'
import { DealFacts, DealSection } from './section.tsx'

const fields: readonly DealField[] = ['amount', 'totalPpw', 'basePpw', 'adderPpw', 'adderCost']

/** Shows the price, adders and loan of a deal. */
export function Money({ deal }: { deal: KnownDeal }) {
  const format = useFormat()
  const adders = (deal.adders ?? '')
    .split(',')
    .map((adder) => adder.trim())
    .filter(Boolean)
  return (
    <DealSection title="Money" icon={CircleDollarSign}>
      <DealFacts
        none="No amounts recorded."
        facts={[
          ...fields.map((field) => ({
            label: fieldLabels[field].label,
            value: amountOf(field, deal, format),
          })),
          {
            label: 'Adders',
            value: adders.length > 0 && (
              <ul className="space-y-1">
                {adders.map((adder, index) => (
                  <li key={index}>{adder}</li>
                ))}
              </ul>
            ),
          },
          { label: 'Lender', value: deal.lender },
          { label: 'Loan amount', value: amountOf('loanAmount', deal, format) },
        ]}
      />
    </DealSection>
  )
}

function amountOf(field: DealField, deal: KnownDeal, format: Format) {
  const text = fieldText(field, deal[field], format)
  return (
    text && <span className={field === 'amount' ? 'font-semibold tabular-nums' : 'tabular-nums'}>{text}</span>
  )
}
