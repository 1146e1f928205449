import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LanCertificate } from '#contract/lan.ts'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { CodeSnippet } from '#renderer/components/copy.tsx'
import { Fingerprint } from '#renderer/components/fingerprint.tsx'
import { saveText } from '#renderer/components/save-text.ts'
import { Tabs } from '#renderer/components/tabs.tsx'
import { CERTIFICATE_FILE } from '#renderer/data/snippets.ts'
import { saveLines, SYSTEMS, wholeSystemLines, type System } from '#renderer/data/trust.ts'

type TrustCardProps = {
  readonly certificate: LanCertificate
  readonly system: System
  readonly onSystem: (system: System) => void
}

const NAMES = { linux: 'Linux', macos: 'macOS', windows: 'Windows' } as const satisfies Record<System, string>

/** Why tools have to be told of the certificate, and the lines that do it on each system. */
export function TrustCard({ certificate, system, onSystem }: TrustCardProps) {
  const { t } = useTranslation('welcome')
  const tabs = SYSTEMS.map((value) => ({
    value,
    label: NAMES[value],
    content: <SystemSteps certificate={certificate} system={value} />,
  }))
  return (
    <Card title={t('trust.title')}>
      <div className="flex flex-col gap-3">
        <p>{t('trust.text')}</p>
        <p className="rounded-md bg-sunken px-3 py-2">
          <Fingerprint text={certificate.fingerprint} />
        </p>
        <Tabs label={t('trust.system')} value={system} onChange={onSystem} tabs={tabs} />
      </div>
    </Card>
  )
}

function SystemSteps({ certificate: { certificate }, system }: Omit<TrustCardProps, 'onSystem'>) {
  const { t } = useTranslation('welcome')
  return (
    <div className="flex flex-col gap-3">
      <p>{t('trust.save', { file: CERTIFICATE_FILE })}</p>
      <CodeSnippet label={t(`trust.terminal.${system}`)} code={saveLines(system, certificate)} />
      <Button className="self-start" onClick={() => saveText(CERTIFICATE_FILE, 'application/x-pem-file', certificate)}>
        <Download aria-hidden />
        {t('trust.download')}
      </Button>
      <p className="text-muted">{t('trust.perTool')}</p>
      <p>{t('trust.whole')}</p>
      <CodeSnippet label={t('trust.wholeLabel')} code={wholeSystemLines(system)} />
    </div>
  )
}
