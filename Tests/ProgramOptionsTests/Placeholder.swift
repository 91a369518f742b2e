// ProgramOptions
