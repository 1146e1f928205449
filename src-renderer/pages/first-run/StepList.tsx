import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { cn } from '#renderer/components/cn.ts'
import { STEPS, type Step } from '#renderer/data/first-run.ts'

type StepListProps = { readonly step: Step; readonly onGo: (step: Step) => void }

/** Where one is, with a way back to what was done. */
export function StepList({ step, onGo }: StepListProps) {
  const { t } = useTranslation('first-run')
  const at = STEPS.indexOf(step)
  return (
    <ol aria-label={t('progress')} className="mb-4 grid grid-cols-4 gap-2">
      {STEPS.map((one, index) => (
        <li key={one} aria-current={one === step ? 'step' : undefined}>
          <button
            type="button"
            onClick={() => onGo(one)}
            className={cn(
              'flex w-full items-center gap-2 border-t-2 py-2 text-left text-xs',
              index <= at ? 'border-accent' : 'border-line text-muted',
              one === step && 'font-medium',
            )}
          >
            <span
              className={cn(
                'inline-flex size-5 shrink-0 items-center justify-center rounded-full border tabular-nums',
                index < at
                  ? 'border-accent bg-accent text-on-accent'
                  : index === at
                    ? 'border-accent text-accent'
                    : 'border-line-strong',
              )}
            >
              {index < at ? <Check aria-hidden className="size-3.5" /> : index + 1}
            </span>
            <span className={cn(one !== step && 'max-sm:sr-only')}>{t(`steps.${one}.name`)}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
