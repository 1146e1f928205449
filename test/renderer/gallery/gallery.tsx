// Every component in every state on one page, to be looked at in both themes and at 420 px.

import '../../../src-renderer/styles/main.css'
import { setNonce } from 'get-nonce'
import { KeyRound, Plus } from 'lucide-react'
import { createRoot } from 'react-dom/client'
import { startPreferences } from '#renderer/app/preferences.ts'
import { Bar } from '#renderer/components/bar.tsx'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Lines, StackedBars } from '#renderer/components/charts/time-chart.tsx'
import { CodeSnippet, CopyField } from '#renderer/components/copy.tsx'
import { Money } from '#renderer/components/money.tsx'
import { PageHeader } from '#renderer/components/page-header.tsx'
import { StatTile, TileRow } from '#renderer/components/stat-tile.tsx'
import { EmptyState, ErrorState, Loading, StaleMark } from '#renderer/components/states.tsx'
import { ToastProvider } from '#renderer/components/toast.tsx'
import { TooltipProvider } from '#renderer/components/tooltip.tsx'
import { dateText } from '#renderer/data/times.ts'
import { startTranslations } from '#renderer/i18n/catalogues.ts'
import { Forms } from './forms.tsx'
import { Floating } from './floating.tsx'
import { Lists } from './lists.tsx'

const DAY_MS = 86_400_000
const TIMES = Array.from({ length: 14 }, (_, index) => Date.UTC(2026, 10, 1) + index * DAY_MS)
const NAMES = ['gpt-5.5', 'sonnet', 'haiku', 'gemini-pro', 'qwen3', 'llama', 'mistral', 'demo-chat']
const SERIES = [
  ...NAMES.map((label, row) => ({
    id: label,
    label,
    values: TIMES.map((_, day) => 0.4 + ((row * 7 + day * 3) % 11) / 10),
  })),
  { id: 'other', label: 'Other', isOther: true, values: TIMES.map(() => 0.5) },
]
const credits = (value: number) => value.toFixed(2)
const day = (at: number) => dateText(at, 'en', 'UTC').slice(0, 6)

function Gallery() {
  return (
    <div className="mx-auto flex max-w-page flex-col gap-4 p-4">
      <PageHeader
        title="Gallery"
        description="Every component, to be looked at."
        zone="Europe/Berlin"
        actions={
          <Button look="primary">
            <Plus aria-hidden />
            Create a key
          </Button>
        }
      />
      <TileRow>
        <StatTile label="Credits" value={<Money credits={41.2} />}>
          <Bar total={50} used={8.62} held={0.18} className="my-1" />
          <Money credits={0.18} /> held
        </StatTile>
        <StatTile
          label="Today"
          value={<Money credits={3.12} />}
          delta={{ direction: 'up', text: '0.40', label: 'more by' }}
        >
          by 23:00 <Money credits={3.9} estimate="At the speed of today." />
        </StatTile>
        <StatTile label="Requests" value="1,284">
          2 failed
        </StatTile>
        <StatTile label="First token" value="0.6 s">
          p95 2.1 s <StaleMark atMs={Date.now() - 90_000} />
        </StatTile>
      </TileRow>
      <Card title="Spend by model">
        <StackedBars label="Spend by model" times={TIMES} series={SERIES} valueText={credits} timeText={day} />
      </Card>
      <Card title="First token">
        <Lines label="First token" times={TIMES} series={SERIES.slice(0, 3)} valueText={credits} timeText={day} />
      </Card>
      <Forms />
      <Lists />
      <Floating />
      <div className="grid gap-4 md:grid-cols-3">
        <Card title="Empty">
          <EmptyState icon={KeyRound} title="No keys yet" action={<Button look="primary">Create a key</Button>}>
            A key is what a tool presents to Farebox.
          </EmptyState>
        </Card>
        <Card title="Error">
          <ErrorState title="The keys could not be read." onRetry={() => undefined}>
            Farebox does not answer. Is it still running?
          </ErrorState>
        </Card>
        <Card title="Loading">
          <Loading lines={5} />
        </Card>
      </div>
      <CopyField label="Address" text="http://127.0.0.1:3273/v1" />
      <CodeSnippet label="curl" code={'curl http://127.0.0.1:3273/v1/models \\\n  -H "Authorization: Bearer key_…"'} />
    </div>
  )
}

setNonce(document.querySelector('meta[name=csp-nonce]')?.getAttribute('content') ?? '')
startPreferences()
await startTranslations()
const place = document.getElementById('root')
if (place !== null) {
  createRoot(place).render(
    <TooltipProvider>
      <ToastProvider>
        <Gallery />
      </ToastProvider>
    </TooltipProvider>,
  )
}
