import { useTranslation } from 'react-i18next'
import type { ProjectView } from '#contract/projects.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Money } from '#renderer/components/money.tsx'

/** What a project has used of each of its limits, and what its running calls hold. */
export function ProjectUse({ project }: { readonly project: ProjectView }) {
  const { t } = useTranslation('common')
  const { credits_per_day: day, credits_per_month: month, held_credits: held } = project
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
      <LimitUse label={t('project.today')} limit={day} used={project.credits_today} held={held} />
      <LimitUse label={t('project.month')} limit={month} used={project.credits_this_month} held={held} />
    </div>
  )
}

type LimitUseProps = {
  readonly label: string
  readonly limit: number | null
  readonly used: number
  readonly held: number
}

function LimitUse({ label, limit, used, held }: LimitUseProps) {
  return (
    <div className="flex w-60 max-w-full flex-col gap-1">
      <span className="flex justify-between gap-2">
        <span className="text-muted">{label}</span>
        <span className="tabular-nums">
          <Money credits={used} hasUnit={limit === null} />
          {limit !== null && (
            <>
              {' / '}
              <Money credits={limit} />
            </>
          )}
        </span>
      </span>
      <Bar total={limit} used={used} held={held} />
    </div>
  )
}
