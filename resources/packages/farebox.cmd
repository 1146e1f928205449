@echo off
rem The command line of an installed Farebox: runs the app without a window. Behind -- Farebox reads the words alone.
setlocal
"%~dp0..\..\Farebox.exe" --log-level=3 -- %*
exit /b %ERRORLEVEL%
