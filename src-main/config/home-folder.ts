import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

/**
 * The home folder of the user that this runs as. A `HOME` that is empty or no whole path would be a folder of wherever Farebox was started,
 * such as a project's, and is passed over for what the system knows of the user.
 */
export function homeFolder(): string {
  const said = homedir()
  return isAbsolute(said) ? said : userInfo().homedir
}
