// The projects that have limits: a budget beside those of members.

import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProjectView } from '#contract/projects.ts'
import { useAction, useApi } from '#renderer/api/use-api.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { ProjectUse } from '#renderer/components/project-use.tsx'
import { Loading } from '#renderer/components/states.tsx'
import { EditProject } from '#renderer/pages/members/EditProject.tsx'

type ProjectsCardProps = { readonly everyMs: number }

export function ProjectsCard({ everyMs }: ProjectsCardProps) {
  const { t } = useTranslation('members')
  const projects = useApi('listProjects', {}, { everyMs })
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Card
      title={t('projects.title')}
      className="mt-4"
      actions={
        <Button size="small" onClick={() => setIsAdding(true)}>
          {t('projects.add')}
        </Button>
      }
    >
      <p className="-mt-2 pb-2 text-muted">{t('projects.text')}</p>
      {projects.data === undefined && !projects.isError && <Loading lines={2} />}
      {projects.isError && <p className="text-muted">{projects.error.message}</p>}
      <ul>
        {projects.data?.map((project) => (
          <li key={project.name} className="border-b border-line py-2 last:border-b-0">
            <ProjectRow project={project} />
          </li>
        ))}
      </ul>
      {isAdding && <EditProject onClose={() => setIsAdding(false)} />}
    </Card>
  )
}

function ProjectRow({ project }: { readonly project: ProjectView }) {
  const { t } = useTranslation('members')
  const [task, setTask] = useState<'edit' | 'remove'>()
  const { name } = project
  const close = () => setTask(undefined)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Link
          to="/usage"
          search={{ project: name }}
          className="min-w-0 flex-1 font-medium break-all underline decoration-line-strong underline-offset-4 hover:decoration-ink"
        >
          {name}
        </Link>
        <Button size="small" aria-label={t('projects.editOf', { name })} onClick={() => setTask('edit')}>
          {t('action.edit')}
        </Button>
        <Button
          size="small"
          look="danger"
          aria-label={t('projects.removeOf', { name })}
          onClick={() => setTask('remove')}
        >
          {t('projects.remove')}
        </Button>
      </div>
      <ProjectUse project={project} />
      {task === 'edit' && <EditProject project={project} onClose={close} />}
      {task === 'remove' && <RemoveProject name={name} onClose={close} />}
    </div>
  )
}

function RemoveProject({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useTranslation('members')
  const remove = useAction('removeProject', {
    done: t('projects.removed', { name }),
    onDone: onClose,
    showsOwnErrors: true,
  })
  return (
    <Confirm
      isOpen
      onOpenChange={onClose}
      title={t('projects.removeTitle', { name })}
      description={t('projects.removeText')}
      action={t('projects.remove')}
      isBusy={remove.isPending}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ id: name })}
    />
  )
}
