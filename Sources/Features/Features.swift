// Features
