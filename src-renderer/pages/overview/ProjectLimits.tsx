import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ProjectView } from '#contract/projects.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { ProjectUse } from '#renderer/components/project-use.tsx'

/** What is left to the projects that have limits, a line for each; nothing where none has. */
export function ProjectLimits({ projects = [] }: { readonly projects: readonly ProjectView[] | undefined }) {
  const { t } = useTranslation('overview')
  if (projects.length === 0) return null
  return (
    <Card
      title={t('projects.title')}
      className="max-sm:order-last"
      actions={
        <Button asChild size="small" look="quiet">
          <Link to="/members">{t('projects.all')}</Link>
        </Button>
      }
    >
      <ul className="-my-2">
        {projects.map((project) => (
          <li
            key={project.name}
            className="flex flex-wrap items-start gap-x-6 gap-y-1 border-b border-line py-2 last:border-b-0"
          >
            <Link
              to="/usage"
              search={{ project: project.name }}
              className="w-40 font-medium break-all underline decoration-line-strong underline-offset-4 hover:decoration-ink"
            >
              {project.name}
            </Link>
            <ProjectUse project={project} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
