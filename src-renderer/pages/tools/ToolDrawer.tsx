import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ToolView } from '#contract/tools.ts'
import { Button } from '#renderer/components/button.tsx'
import { CodeSnippet } from '#renderer/components/copy.tsx'
import { Sheet } from '#renderer/components/dialog.tsx'
import { DrawerSection, Facts } from '#renderer/components/facts.tsx'
import { Time } from '#renderer/components/time.tsx'
import { ownCommand } from '#renderer/data/own-command.ts'
import { Installed } from '#renderer/pages/tools/columns.tsx'
import { ToolState } from '#renderer/pages/tools/ToolState.tsx'

type ToolDrawerProps = {
  readonly tool: ToolView
  readonly onClose: () => void
  readonly onAction: (action: 'connect' | 'disconnect') => void
}

/** How a tool is connected, and the ways to connect it, the best first. */
export function ToolDrawer({ tool, onClose, onAction }: ToolDrawerProps) {
  const { t } = useTranslation('tools')
  const { state, ways, impossible } = tool
  return (
    <Sheet isOpen onOpenChange={onClose} title={tool.name} description={impossible ?? t(`stateText.${state}`)}>
      <DrawerSection title={t('present')}>
        <PresentFacts tool={tool} />
      </DrawerSection>
      {tool.written.length > 0 && <Written tool={tool} />}
      {state !== 'none' && (
        <DrawerSection title={t('disconnect.title')}>
          <p className="text-sm text-muted">{t('disconnect.offer')}</p>
          <Button look="danger" className="self-start" onClick={() => onAction('disconnect')}>
            {t('disconnect.action')}
          </Button>
        </DrawerSection>
      )}
      {ways.includes('launch') && (
        <DrawerSection title={t('launch.title')}>
          <p className="text-sm text-muted">{t('launch.text')}</p>
          <CodeSnippet label={t('launch.terminal')} code={`${ownCommand()} launch ${tool.tool}`} />
        </DrawerSection>
      )}
      <ConnectSection tool={tool} onConnect={() => onAction('connect')} />
    </Sheet>
  )
}

function PresentFacts({ tool }: { readonly tool: ToolView }) {
  const { t } = useTranslation('tools')
  const { key_name: keyName, package: packageName } = tool
  const facts = [
    { name: t('column.state'), value: <ToolState tool={tool} /> },
    { name: t('column.request'), value: <Time at={tool.last_request_at} none={t('never')} /> },
    { name: t('column.installed'), value: <Installed tool={tool} /> },
    { name: t('versions'), value: tool.versions },
  ]
  const keyFacts =
    keyName === null
      ? []
      : [
          {
            name: t('key'),
            value: (
              <Link to="/keys" search={{ q: keyName, state: 'all' }} className="text-accent underline">
                {keyName}
              </Link>
            ),
          },
          { name: t('package'), value: packageName },
        ]
  return <Facts facts={[...facts, ...keyFacts]} />
}

function Written({ tool: { written } }: { readonly tool: ToolView }) {
  const { t } = useTranslation('tools')
  return (
    <DrawerSection title={t('written')}>
      {written.map(({ file, members }) => (
        <div key={file} className="text-sm">
          <p className="font-mono text-xs break-all">{file}</p>
          <ul className="mt-1 list-disc pl-5 text-muted">
            {members.map((member) => (
              <li key={member} className="break-all">
                {member}
              </li>
            ))}
            {members.length === 0 && <li>{t('wholeFile')}</li>}
          </ul>
        </div>
      ))}
    </DrawerSection>
  )
}

function ConnectSection({ tool, onConnect }: { readonly tool: ToolView; readonly onConnect: () => void }) {
  const { t } = useTranslation('tools')
  const way = (['connect', 'copy'] as const).find((one) => tool.ways.includes(one))
  if (way === undefined) return null
  return (
    <DrawerSection title={t(`${way}.title`)}>
      <p className="text-sm text-muted">{t(`${way}.text`)}</p>
      <Button look="primary" className="self-start" onClick={onConnect}>
        {t(tool.state === 'none' ? `${way}.action` : 'connect.again')}
      </Button>
    </DrawerSection>
  )
}
