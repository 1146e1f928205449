import { useState } from 'react'
import { Button } from '#renderer/components/button.tsx'
import { Card } from '#renderer/components/card.tsx'
import { Confirm } from '#renderer/components/confirm.tsx'
import { Dialog } from '#renderer/components/dialog.tsx'
import { Menu, MenuItem } from '#renderer/components/menu.tsx'
import { useToast } from '#renderer/components/toast.tsx'
import { Tooltip } from '#renderer/components/tooltip.tsx'

export function Floating() {
  const toast = useToast()
  const [shown, setShown] = useState<'dialog' | 'confirm'>()
  const close = () => setShown(undefined)
  return (
    <Card title="What floats">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setShown('dialog')}>Open the dialog</Button>
        <Button look="danger" onClick={() => setShown('confirm')}>
          Revoke
        </Button>
        <Button onClick={() => toast.done('The key "ci" was suspended.')}>Done notice</Button>
        <Button onClick={() => toast.failed('OpenAI refused our key (401). Replace it in Providers.')}>
          Failed notice
        </Button>
        <Menu trigger={<Button>Menu</Button>} align="start">
          <MenuItem onSelect={close}>Suspend</MenuItem>
          <MenuItem isDanger onSelect={close}>
            Revoke
          </MenuItem>
        </Menu>
        <Tooltip text="Counted by Farebox, because the provider did not report it.">
          <Button look="quiet">Hover me</Button>
        </Tooltip>
        <Tooltip isText text="Counted by Farebox, because the provider did not report it.">
          ~1.2k
        </Tooltip>
      </div>
      <Dialog
        isOpen={shown === 'dialog'}
        onOpenChange={close}
        title="Create a key"
        description="It is shown once."
        footer={<Button look="primary">Create</Button>}
      >
        Fields go here.
      </Dialog>
      <Confirm
        isOpen={shown === 'confirm'}
        onOpenChange={close}
        title='Revoke the key "ci"?'
        description="Tools that use it are refused from now on. This cannot be undone."
        typed="ci"
        action="Revoke"
        onConfirm={close}
      />
    </Card>
  )
}
